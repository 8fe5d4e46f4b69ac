"""Sums the delivered lines of the bill by day: the only step that reads every line.

It runs per delivery, on DuckDB or Spark, and its rows are kept until the delivery changes. So it
knows nothing of other months, of today, or of prices. What it keeps apart beside place, time, SKU,
commitment and tags:

- `named`: a correction that reverses a certain charge; other corrections are lump sums (§2.2).
- `corrects`: the first name of the charge that an untagged correction takes back. No other line has
  one, because a bill has too many resources. `charges_reversed_by_refunds` in
  `models.engine.reduction` looks up whose charge it was.
- `free`: lines at $0, as billed and amortised: a run may have hours of a Capacity Block besides
  paid ones (§2.7).
- `used_from`, `used_to`: the hour of a line that a Capacity Block may cover, since blocks change
  within a day, or the time of a correction with `corrects`.
- `first_hour`, `last_hour`: from when to when the lines of the day reach; null in a bill by day.
- `cluster`: what a tag names on a line of no run or workload; of parts of shared machines (§2.10)
  that of the machine, with `holding`: `held`, `unknown` for jobs of unknown owners, `undelivered`,
  or the reason why nobody held it.
- `described`: the charge description, only where no SKU says what was used.
- `delivery`: the number of the delivery, where several are summed by one statement.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import known_sum
from models.contract.rules.usage_type_patterns import (
    BLOCK_HOURS,
    FEES_BY_INSTANCE,
    MACHINE_HOURS,
)
from models.contract.schema import DELIVERY_NUMBER, MONEY
from models.marts.cost.charges.refund_links import (
    corrected_charge,
    is_correction,
    named_charge,
)

HOUR = 3600
"""Seconds."""
PERIODS = "array<timestamp>"
RENAMED = {
    "region": "RegionId",
    "sku": "SkuMeter",
    "sku_instance_type": "InstanceType",
    "provider": "ProviderName",
    "service": "ServiceName",
    "service_category": "ServiceCategory",
    "category": "ChargeCategory",
    "class": "ChargeClass",
    "pricing_category": "PricingCategory",
    "commitment": "CommitmentDiscountId",
    "commitment_status": "CommitmentDiscountStatus",
    "reservation": "CapacityReservationId",
    "reservation_status": "CapacityReservationStatus",
    "unit": "ConsumedUnit",
    "host": "HostResourceId",
    "workload": "workload",
    "run": "run",
}


@step(
    grain="billing period × billing account × account × day × region × SKU × charge class × "
    "commitment and reservation × resolved tags, × instance where container pods ran on it",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="quantity, list_cost and contracted_cost are null as soon as one line's is; the other "
    "columns are null where the bill says nothing",
    method="§2.1, §2.2, §2.7, §2.9",
    whose="run",
)
def spend_reduced(charges: ir.Table) -> ir.Table:
    """Sums the bill's delivered lines by day, account, SKU, commitment, tags and other keys."""
    return charges.group_by(**grain(charges)).agg(**sums(charges))


def with_machines(charges: ir.Table) -> ir.Table:
    """Sums bill lines by day; those of machines jobs may share also by machine and charge period.

    `machine` is null on all other rows, empty where the bill names no machine; a pod's is its
    instance, and `pod_…` what the pod held of it. Volumes, traffic and fees of a machine have no
    period: they follow its owners of the day. `periods` lists the starts of all periods that a row
    is about, of which it has the amounts of one: null where that is the one from `period_from`.
    """
    named = charges.MachineId.notnull()
    fee = charges.ServiceName.re_search(FEES_BY_INSTANCE).fill_null(False)
    hours = charges.SkuMeter.re_search(MACHINE_HOURS) & ~fee
    timed = ibis.ifelse(named, hours, False).fill_null(False)
    return charges.group_by(
        **grain(charges),
        machine=charges.MachineId,
        machine_cluster=ibis.ifelse(named, charges.ClusterName, None),
        period_from=ibis.ifelse(timed, charges.ChargePeriodStart, None),
        period_to=ibis.ifelse(timed, charges.ChargePeriodEnd, None),
        periods=charges.Periods if "Periods" in charges.columns else ibis.null(PERIODS),
    ).agg(
        **sums(charges),
        pod_accelerators=charges.PodAccelerators.sum(),
        pod_share=charges.PodShare.sum(),
        pod_cost=charges.PodCost.sum(),
    )


def sums(charges: ir.Table) -> dict[str, ir.Value]:
    """Returns sums over charges as columns by name: quantity, four costs, first and last hour."""
    return {
        "quantity": known_sum(charges.ConsumedQuantity),
        "list_cost": known_sum(charges.ListCost),
        "contracted_cost": known_sum(charges.ContractedCost),
        "effective_cost": charges.EffectiveCost.sum().cast(MONEY),
        "billed_cost": charges.BilledCost.sum().cast(MONEY),
        "first_hour": charges.FirstHour.min(),
        "last_hour": charges.LastHour.max(),
    }


def grain(charges: ir.Table) -> dict[str, ir.Value]:
    """Returns the columns by which lines of the bill are grouped, as a dictionary by name."""
    correction = is_correction(charges)
    free = (charges.EffectiveCost == 0) & (charges.BilledCost == 0)
    corrects = ibis.ifelse(correction & ~free, corrected_charge(charges), None)
    timed = (free & _may_be_block_hour(charges)) | corrects.notnull()
    numbered = DELIVERY_NUMBER in charges.columns
    return {
        **({"delivery": charges[DELIVERY_NUMBER]} if numbered else {}),
        "billing_period": charges.BillingPeriodStart.truncate("M"),
        "billing_account": charges.BillingAccountId,
        "account": ibis.coalesce(charges.SubAccountId, charges.BillingAccountId),
        "date": charges.ChargePeriodStart.date(),
        **{name: charges[column] for name, column in RENAMED.items()},
        **{name: charges[name] for name in charges.columns if name.startswith("tag_")},
        "described": _described(charges),
        "cluster": ibis.ifelse(
            charges.workload.isnull() | charges.run.notnull(), charges.ClusterName, None
        ),
        "holding": ibis.null("string"),
        "allocation_flags": ibis.null("string"),
        "named": correction & named_charge(charges).notnull(),
        "invoiced": charges.InvoiceId.notnull(),
        "free": free,
        "corrects": corrects,
        "used_from": ibis.ifelse(timed, charges.ChargePeriodStart, None),
        "used_to": ibis.ifelse(timed, charges.ChargePeriodEnd, None),
    }


def _described(charges: ir.Table) -> ir.Value:
    return ibis.ifelse(charges.SkuMeter.isnull(), charges.ChargeDescription, None)


def _may_be_block_hour(charges: ir.Table) -> ir.BooleanValue:
    """Whether a bill line is instance time of at most an hour, which a Capacity Block may cover."""
    seconds = charges.ChargePeriodEnd.epoch_seconds() - charges.ChargePeriodStart.epoch_seconds()
    return cast(ir.BooleanValue, charges.SkuMeter.re_search(BLOCK_HOURS) & (seconds <= HOUR))

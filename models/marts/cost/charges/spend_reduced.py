"""Charges reduced to a day: the one step over every delivered line.

Grain: billing period × billing account × account × day × region × SKU × charge class × commitment
and reservation × resolved tags, and × instance where a bill says which pods ran on it. It runs per
delivery, on DuckDB or Spark, and is kept under the fingerprint of the delivery, so it knows nothing
of other months, of today, or of prices.

Costs and quantities are sums; a cost is unknown as soon as one line's is. `named` tells a
correction that reverses a certain charge from a lump sum (METHOD §2.2); `described` is the charge
description, kept only where no SKU says what was used. `free` keeps lines apart that cost $0, as
billed and amortised, whatever they would cost on demand: hours of a Capacity Block stand beside
paid hours of the same run. Where a line of at most an hour may be a block's, `used_from` and
`used_to` say when: blocks change within a day. `corrects` is the first name of the charge that a
line of class Correction takes back and bears no run's tag: its resource, reservation, commitment or
usage type; its time stands in the same two columns, and `models.engine.reduction.refund_owners`
looks for whose it was. No other line has one: a bill has too many resources.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.money import known_sum
from models.contract.schema import MONEY
from models.formats.bill.fees import BLOCK_FEE
from models.formats.bill.focus import BLOCK_HOURS

HOUR = 3600
USED = ("Usage", "Adjustment")
"""Categories of charges that may be a run's cost, and of what takes them back (METHOD §2.2)."""
KEPT = {
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


def spend_reduced(charges: ir.Table) -> ir.Table:
    """Sums of every amount at the grain above."""
    return charges.group_by(**grain(charges)).agg(
        quantity=known_sum(charges.ConsumedQuantity),
        list_cost=known_sum(charges.ListCost),
        contracted_cost=known_sum(charges.ContractedCost),
        effective_cost=charges.EffectiveCost.sum().cast(MONEY),
        billed_cost=charges.BilledCost.sum().cast(MONEY),
    )


def grain(charges: ir.Table) -> dict[str, ir.Value]:
    """What tells one charge from another, by column of the reduction."""
    correction = (charges.ChargeClass == "Correction").fill_null(False)
    free = (charges.EffectiveCost == 0) & (charges.BilledCost == 0)
    corrects = ibis.ifelse(correction & ~free, _whose(charges), None)
    timed = (free & _may_be_held(charges)) | corrects.notnull()
    return {
        "billing_period": charges.BillingPeriodStart.truncate("M"),
        "billing_account": charges.BillingAccountId,
        "account": ibis.coalesce(charges.SubAccountId, charges.BillingAccountId),
        "date": charges.ChargePeriodStart.date(),
        **{name: charges[column] for name, column in KEPT.items()},
        **{name: charges[name] for name in charges.columns if name.startswith("tag_")},
        "described": _described(charges),
        "named": correction & _names(charges).notnull(),
        "invoiced": charges.InvoiceId.notnull(),
        "free": free,
        "corrects": corrects,
        "used_from": ibis.ifelse(timed, charges.ChargePeriodStart, None),
        "used_to": ibis.ifelse(timed, charges.ChargePeriodEnd, None),
    }


def _described(charges: ir.Table) -> ir.Value:
    return ibis.ifelse(charges.SkuMeter.isnull(), charges.ChargeDescription, None)


def _may_be_held(charges: ir.Table) -> ir.BooleanValue:
    """Lines of at most an hour that a Capacity Block may cover."""
    seconds = charges.ChargePeriodEnd.epoch_seconds() - charges.ChargePeriodStart.epoch_seconds()
    return cast(ir.BooleanValue, charges.SkuMeter.re_search(BLOCK_HOURS) & (seconds <= HOUR))


def _whose(charges: ir.Table) -> ir.Value:
    """What is told of a charge whose run nothing else tells.

    A block's fee finds its block, and idle hours are idle, without being asked for.
    """
    statuses = (charges.CommitmentDiscountStatus, charges.CapacityReservationStatus)
    idle = ibis.or_(*(status == "Unused" for status in statuses)).fill_null(False)
    fee = charges.SkuMeter.re_search(BLOCK_FEE).fill_null(False)
    unsaid = charges.run.isnull() & charges.ChargeCategory.isin(USED)
    return ibis.ifelse(unsaid & ~idle & ~fee, _names(charges), None)


def _names(charges: ir.Table) -> ir.Value:
    """What a correction names of the charge it reverses: a resource, a reservation, a usage."""
    return ibis.coalesce(
        charges.ResourceId,
        charges.CapacityReservationId,
        charges.CommitmentDiscountId,
        charges.SkuMeter,
    )

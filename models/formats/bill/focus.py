"""FOCUS 1.0 and 1.2 as AWS Data Exports deliver it: one line a charge.

Costs are in `BillingCurrency`, times are UTC, `ChargePeriodEnd` is exclusive. AWS writes the
usage type in `x_UsageType` (1.0) and in `SkuMeter` (1.2), and the instance type besides in
`SkuPriceDetails` (1.2). Columns a line lacks are unknown, not zero. AWS gives split cost
allocation (rows of container pods) in the Cost and Usage Report only; a report brought into FOCUS
form keeps its parent and split cost under one of `PARENTS` and `SPLITS`. FOCUS 1.3 has the charge
in its parts, which add up to it, each with its owner's tags in `AllocatedTags`, the rest without:
all of them count, and nothing twice. Source: the FinOps Foundation's FOCUS specification and AWS's
data dictionary for its tables.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, CHARGES, COSTS, NUMBER, with_tags
from models.formats import fields
from models.formats.bill import corrections, fees, plausible_dates
from models.formats.bill.condensed import condensed as added

NAME = "focus"
VIEW: Literal["charges"] = "charges"
REQUIRED = ("ChargePeriodStart", "BilledCost", "EffectiveCost", "BillingCurrency", "ChargeCategory")
CURRENCY = "USD"
QUANTITIES = ("ConsumedQuantity", "PricingQuantity")
TIMES = ("ChargePeriodStart", "BillingPeriodStart", "ChargePeriodEnd")
PODS = r"(EKSPod|ECSTask)-EC2|(EKS|ECS)-EC2-[A-Za-z]+-Hours"
"""Usage types of split cost allocation: a pod's or a task's part of its instance (AWS.md §2.2)."""
PARENTS = ("x_ParentResourceId", "ParentResourceId", "split_line_item_parent_resource_id")
SPLITS = ("x_SplitCost", "SplitCost", "split_line_item_split_cost")
"""What the Cost and Usage Report says of a pod: the instance it ran on, and its part of the cost.

Such rows cost $0 of their own there; `EffectiveCost` is then the split cost.
"""
HOST = "hosted on"
"""A condensed line's `HostResourceId`."""
BLOCK_HOURS = r"BoxUsage:(p|trn|inf|g)[0-9]"
"""Hours that a Capacity Block may cover: billed at $0, and needed by the hour (METHOD §2.7)."""
INSTANCE_HOURS = r"(BoxUsage|SpotUsage|DedicatedUsage):"
TEXTS = (
    "BillingAccountId",
    "SubAccountId",
    "BillingCurrency",
    "ServiceName",
    "ServiceCategory",
    "RegionId",
    "ResourceId",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "PricingCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountStatus",
    "CapacityReservationId",
    "CapacityReservationStatus",
    "ConsumedUnit",
    "InvoiceId",
)
PROVIDERS = ("ProviderName", "ServiceProviderName", "PublisherName")
UNITS = ("ConsumedUnit", "PricingUnit")
ACCOUNTS = ("BillingAccountId", "SubAccountId")
METERS = ("x_UsageType", "SkuMeter")
UNREAD = ("ResourceId", "ChargeFrequency", "BillingCurrency")
DELIVERED = (
    *(name for name in TEXTS if name not in UNREAD),
    "BillingPeriodStart",
    "x_UsageType",
    "SkuMeter",
)
"""What the reduction reads of a line as it was delivered."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per line, in the schema of `charges`."""
    started = fields.instant(lines, "ChargePeriodStart")
    columns: dict[str, ir.Value] = {name: fields.text(lines, name) for name in TEXTS}
    columns |= {name: fields.amount(lines, name) for name in COSTS}
    quantity, meter = _quantity(lines), fields.text(lines, *METERS)
    columns["EffectiveCost"] = _effective(lines)
    columns["CommitmentDiscountStatus"] = fees.status(lines)
    columns |= {
        name: corrections.price(lines, name, quantity, meter) for name in corrections.PRICED
    }
    columns["ListCost"] = _listed(lines, columns, quantity)
    columns |= fields.resolved_tags(lines, tags, started)
    columns |= {
        "BillingPeriodStart": _period(lines).date(),
        "ChargePeriodStart": started,
        "ChargePeriodEnd": fields.instant(lines, "ChargePeriodEnd"),
        "ProviderName": fields.said(fields.first(lines, *PROVIDERS)),
        "SkuMeter": meter,
        "BillingCurrency": fields.text(lines, "BillingCurrency").upper(),
        "InstanceType": fields.entry(lines, "SkuPriceDetails", "InstanceType"),
        "ConsumedQuantity": quantity,
        "ConsumedUnit": fields.said(fields.first(lines, *UNITS)),
        "Tags": fields.text(lines, "Tags"),
        "HostResourceId": _host(lines, columns["run"]),
    }
    return lines.select(**{name: columns[name] for name in with_tags(CHARGES, tags.extra)})


def condensed(lines: ir.Table, tags: Tags) -> ir.Table:
    """Lines of a day that only differ in their amounts, as one; `rows` reads them like lines."""
    started = fields.instant(lines, "ChargePeriodStart")
    meter = fields.text(lines, *METERS)
    silent = meter.isnull()
    held = ibis.ifelse(_costs_nothing(lines), meter.contains("BoxUsage:").fill_null(False), False)
    exact = {
        "ChargePeriodStart": started,
        "ChargePeriodEnd": fields.instant(lines, "ChargePeriodEnd"),
    }
    read: dict[str, ir.Value] = {
        "ChargePeriodStart": ibis.ifelse(held, started, started.truncate("D")),
        "ChargePeriodEnd": ibis.ifelse(held, exact["ChargePeriodEnd"], None),
        "ChargeDescription": ibis.ifelse(silent, fields.text(lines, "ChargeDescription"), None),
        "SkuPriceDetails.InstanceType": fields.delivered(lines, "SkuPriceDetails", "InstanceType"),
        "CommitmentDiscountStatus": fees.status(lines),
        "ProviderName": fields.first(lines, *PROVIDERS),
        "ConsumedUnit": fields.first(lines, *UNITS),
    }
    read |= {f"Tags.{key}": fields.delivered_tag(lines, key) for key in fields.tag_keys(tags)}
    if _names_hosts(lines):
        read[HOST] = _host(lines, fields.tag(lines, tags.run))
    quantity = _delivered_quantity(lines)
    amounts: dict[str, ir.Value] = {
        name: corrections.price(lines, name, quantity, meter)
        if name in corrections.PRICED
        else fields.amount(lines, name)
        for name in COSTS
        if name in lines.columns
    }
    amounts |= {"EffectiveCost": _effective(lines), "ConsumedQuantity": quantity}
    return added(lines, DELIVERED, read, amounts, exact)


def refusals(lines: ir.Table) -> ir.Table:
    """Unreadable or absent amounts and times, and any currency but ours."""
    currency = fields.text(lines, "BillingCurrency")
    what = fields.text(lines, "ChargeDescription")
    again = "correct the file and deliver it again"
    return fields.faults(
        lines,
        [
            fields.Fault(
                fields.foreign(lines, "BillingCurrency", CURRENCY),
                f"BillingCurrency is not {CURRENCY}",
                currency,
                "one currency per warehouse: export this account in US dollars",
            ),
            *(fields.missing(lines, name, what) for name in REQUIRED),
            *(fields.unreadable(lines, name, AMOUNT, again) for name in (*COSTS, *SPLITS)),
            *(fields.unreadable(lines, name, NUMBER, again) for name in QUANTITIES),
            *(
                fields.unreadable(lines, name, "json", again)
                for name in (*fields.TAG_COLUMNS, "SkuPriceDetails")
            ),
            *plausible_dates.refused(lines, *TIMES),
        ],
    )


def totals(lines: ir.Table, *more: str) -> ir.Table:
    """The bare sum of each delivered cost column per billing account, sub-account and month.

    `more` are columns to add up besides. Rows of container pods repeat what their instance costs,
    and are left out (METHOD §2.9). A text, and a date, is read once per group, not once per line.
    """
    texts = {name: lines[name] for name in (*ACCOUNTS, *METERS) if name in lines.columns}
    present = [name for name in (*COSTS, *more) if name in lines.columns]
    groups = lines.group_by(**texts, period=_month(lines)).agg(
        **{name: fields.amount(lines, name).sum() for name in present}
    )
    groups = groups.filter(~_is_pod(groups))
    billing = fields.text(groups, "BillingAccountId").fill_null("")
    account = fields.text(groups, "SubAccountId").fill_null(billing)
    month = groups.period.strftime("%Y-%m")
    sums = {name: groups[name].sum().cast("string") for name in present}
    return groups.group_by(account=billing + "|" + account + "|" + month).agg(**sums)


def _is_pod(lines: ir.Table) -> ir.BooleanValue:
    meter = fields.text(lines, *METERS)
    return cast(ir.BooleanValue, meter.re_search(PODS).fill_null(False))


def _effective(lines: ir.Table) -> ir.Value:
    """The effective cost; a pod's is its part of the instance's."""
    given = fields.amount(lines, "EffectiveCost")
    parts = [fields.amount(lines, name) for name in SPLITS if name in lines.columns]
    return ibis.ifelse(_is_pod(lines), ibis.coalesce(*parts, given), given) if parts else given


def _listed(lines: ir.Table, charge: dict[str, ir.Value], quantity: ir.Value) -> ir.Value:
    """The list cost; $0 beside a cost of something used is no price (METHOD §2.5).

    It is $0 of what nobody used of a commitment, and of dollars alone: a discount, a lump sum.
    """
    unused = charge["CommitmentDiscountStatus"].fill_null("") == "Unused"
    used = charge["ChargeCategory"].isin(("Usage", "Adjustment")) & ~unused
    alone = (quantity == 0).fill_null(corrections.corrects(lines))
    costs = used & (charge["EffectiveCost"] != 0) & ~alone
    listed = charge["ListCost"]
    return ibis.ifelse(costs.fill_null(False), listed.nullif(0), listed)


def _names_hosts(lines: ir.Table) -> bool:
    return any(name in lines.columns for name in PARENTS)


def _host(lines: ir.Table, run: ir.Value) -> ir.Value:
    """The instance that a pod ran on, and of an instance that names no run the instance itself.

    Null where the delivery names no pod's instance: then nothing needs telling instances apart.
    """
    if not (HOST in lines.columns or _names_hosts(lines)):
        return ibis.null("string")
    pod = _is_pod(lines)
    meter = fields.text(lines, *METERS)
    loose = run.isnull() & meter.re_search(INSTANCE_HOURS).fill_null(False)
    said = fields.text(lines, HOST, *PARENTS)
    own = said if HOST in lines.columns else fields.text(lines, "ResourceId")
    return ibis.cases((pod, said), (loose, own))


def _costs_nothing(lines: ir.Table) -> ir.BooleanValue:
    """As hours of a Capacity Block do, whatever they would cost on demand (METHOD §2.7)."""
    amounts = [fields.amount(lines, name) for name in ("EffectiveCost", "BilledCost")]
    return cast(ir.BooleanValue, ibis.and_(*(value.fill_null(0) == 0 for value in amounts)))


def _period(lines: ir.Table) -> ir.TimestampValue:
    """When the billing period starts; the charge's own time where no line says."""
    started = fields.instant(lines, "ChargePeriodStart")
    return ibis.coalesce(fields.instant(lines, "BillingPeriodStart"), started)


def _month(lines: ir.Table) -> ir.TimestampValue:
    """An instant of the billing month, of which a delivery has few."""
    started = fields.instant(lines, "ChargePeriodStart").truncate("M")
    return ibis.coalesce(fields.instant(lines, "BillingPeriodStart"), started)


def _quantity(lines: ir.Table) -> ir.Value:
    """What was consumed; a Savings Plan's negation repeats the hours that it covered."""
    billed, effective = (fields.amount(lines, name) for name in ("BilledCost", "EffectiveCost"))
    negation = (effective == 0) & (billed < 0)
    return ibis.ifelse(negation, 0, _delivered_quantity(lines)).cast(NUMBER)


def _delivered_quantity(lines: ir.Table) -> ir.Value:
    there = [name for name in QUANTITIES if name in lines.columns] or QUANTITIES
    return corrections.reversed_by(lines, fields.amount(lines, there[0], NUMBER))

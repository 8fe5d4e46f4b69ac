"""FOCUS 1.0 and 1.2 as AWS Data Exports deliver it: one line a charge.

Costs are in `BillingCurrency`, times are UTC, `ChargePeriodEnd` is exclusive. AWS writes the
usage type in `x_UsageType` (1.0) and in `SkuMeter` (1.2), and the instance type besides in
`SkuPriceDetails` (1.2). Columns a line lacks are unknown, not zero. Source: the FinOps
Foundation's FOCUS specification and AWS's data dictionary for both tables.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.schema import AMOUNT, CHARGES, COSTS, with_tags
from models.settings import Tags

NAME = "focus"
VIEW: Literal["charges"] = "charges"
REQUIRED = ("ChargePeriodStart", "BilledCost", "EffectiveCost", "BillingCurrency", "ChargeCategory")
CURRENCY = "USD"
AMOUNTS = (*COSTS, "ConsumedQuantity", "PricingQuantity")
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


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per line, in the schema of `charges`."""
    started = fields.instant(lines, "ChargePeriodStart")
    period = ibis.coalesce(fields.instant(lines, "BillingPeriodStart"), started)
    columns: dict[str, ir.Value] = {name: fields.text(lines, name) for name in TEXTS}
    columns |= {name: fields.amount(lines, name) for name in COSTS}
    columns |= fields.resolved_tags(lines, tags, started)
    columns |= {
        "BillingPeriodStart": period.date(),
        "ChargePeriodStart": started,
        "ChargePeriodEnd": fields.instant(lines, "ChargePeriodEnd"),
        "ProviderName": fields.text(lines, "ProviderName", "ServiceProviderName", "PublisherName"),
        "SkuMeter": fields.text(lines, "x_UsageType", "SkuMeter"),
        "InstanceType": fields.entry(lines, "SkuPriceDetails", "InstanceType"),
        "ConsumedQuantity": _quantity(lines),
        "ConsumedUnit": fields.text(lines, "ConsumedUnit", "PricingUnit"),
        "Tags": fields.text(lines, "Tags"),
    }
    return lines.select(**{name: columns[name] for name in with_tags(CHARGES, tags.extra)})


def refusals(lines: ir.Table) -> ir.Table:
    """Unreadable or absent amounts and times, and any currency but ours."""
    currency = fields.text(lines, "BillingCurrency")
    what = fields.text(lines, "ChargeDescription")
    again = "correct the file and deliver it again"
    return fields.faults(
        lines,
        [
            fields.Fault(
                (currency != CURRENCY).fill_null(True),
                f"BillingCurrency is not {CURRENCY}",
                currency,
                "one currency per warehouse: export this account in US dollars",
            ),
            *(fields.missing(lines, name, what) for name in REQUIRED),
            *(fields.unreadable(lines, name, AMOUNT, again) for name in AMOUNTS),
            *(
                fields.unreadable(
                    lines, name, "timestamp('UTC')", "write it as 2026-09-01T00:00:00Z"
                )
                for name in ("BillingPeriodStart", "ChargePeriodStart", "ChargePeriodEnd")
            ),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """The bare sum of each delivered cost column per billing account and sub-account."""
    billing = fields.text(lines, "BillingAccountId").fill_null("")
    account = fields.text(lines, "SubAccountId").fill_null(billing)
    present = [name for name in COSTS if name in lines.columns]
    sums = {name: fields.amount(lines, name).sum().cast("string") for name in present}
    return lines.group_by(account=billing + "/" + account).agg(**sums)


def _quantity(lines: ir.Table) -> ir.Value:
    return ibis.coalesce(
        fields.amount(lines, "ConsumedQuantity"), fields.amount(lines, "PricingQuantity")
    )

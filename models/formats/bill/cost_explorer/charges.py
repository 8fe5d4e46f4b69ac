"""Converts Cost Explorer's lines to `charges`.

A line of commitment fees becomes a purchase and an unused hour (`bill.commitment_fees`). Usage
under a Savings Plan becomes the usage, which bills nothing, and the charge that the plan's
negation takes back (`covered_usage`).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, CHARGES, with_tags
from models.formats import fields
from models.formats.bill.commitment_fees import split_fees
from models.formats.bill.cost_explorer import record_types, usage_types
from models.formats.bill.cost_explorer.commitment_kinds import commitment
from models.formats.bill.cost_explorer.covered_usage import (
    is_covered,
    is_negation,
    negated_charges,
)
from models.formats.bill.cost_explorer.net_or_gross_metrics import cost, gross_note
from models.formats.bill.cost_explorer.run_workloads import with_workload_of_run
from models.formats.bill.cost_explorer.tags import corrected_tags, with_tag_map

SPLIT = "split"


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts Cost Explorer lines to charges: two for fees and covered usage, none for repeats."""
    found = _charges(with_workload_of_run(lines), tags)
    covered = found.filter(found[SPLIT] == record_types.COVERED)
    others = found.filter(found[SPLIT] != record_types.COVERED)
    every = (
        split_fees(others, others[SPLIT] == record_types.FEE)
        .union(covered.mutate(BilledCost=ibis.literal(0).cast(AMOUNT)))
        .union(negated_charges(covered))
    )
    return every.select(*with_tags(CHARGES, tags.extra))


def _charges(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts each Cost Explorer line to one charge, with a column that says how to split it."""
    lines = with_tag_map(lines, tags)
    meter = fields.text(lines, "usage_type").nullif("NoUsageType")
    kind = record_types.record_type(lines)
    covered = is_covered(lines)
    found: dict[str, ir.Value] = {
        **_who_and_when(lines),
        **_what_was_charged(lines, meter, kind),
        "PricingCategory": ibis.cases(
            (usage_types.is_spot(meter), "Dynamic"), (covered, "Committed"), else_=None
        ),
        "CommitmentDiscountId": commitment(lines, meter, kind, covered),
        "CommitmentDiscountStatus": ibis.ifelse(covered, "Used", None),
        "workload": fields.text(lines, "workload"),
        "run": fields.text(lines, "run"),
        **corrected_tags(lines, tags, fields.timestamp(lines, "day"), is_negation(kind)),
        "EffectiveCost": cost(lines, "amortized"),
        "BilledCost": cost(lines, "unblended"),
    }
    schema = with_tags(CHARGES, tags.extra)
    billed = cost(lines, "unblended") != 0
    return lines.select(
        **{name: found.get(name, ibis.null(dtype)).cast(dtype) for name, dtype in schema.items()},
        **{SPLIT: record_types.split(meter, kind, covered & billed, cost(lines, "amortized"))},
    )


def _who_and_when(lines: ir.Table) -> dict[str, ir.Value]:
    day = fields.timestamp(lines, "day")
    return {
        "BillingAccountId": fields.text(lines, "account"),
        "SubAccountId": fields.text(lines, "linked_account"),
        "BillingPeriodStart": fields.text(lines, "month").cast("date"),
        "ChargePeriodStart": day,
        "ChargePeriodEnd": day + ibis.interval(days=1),
        "BillingCurrency": fields.text(lines, "currency"),
        "ProviderName": ibis.literal("AWS"),
    }


def _what_was_charged(
    lines: ir.Table, meter: ir.StringValue, kind: ir.StringValue
) -> dict[str, ir.Value]:
    return {
        "ServiceName": record_types.service(lines, kind),
        "RegionId": usage_types.region(meter),
        "ChargeCategory": record_types.category(meter, kind),
        "ChargeClass": ibis.ifelse(kind == "refund", "Correction", None),
        "ChargeDescription": _description(lines),
        "SkuMeter": meter,
        "ConsumedQuantity": usage_types.instance_hours(lines, meter),
        "ConsumedUnit": ibis.ifelse(meter.re_search(usage_types.HOURS), "Hrs", None),
    }


def _description(lines: ir.Table) -> ir.Value:
    """Describes a Cost Explorer charge by usage or record type, and notes gross figures."""
    what = fields.text(lines, "usage_type", "record_type").fill_null("")
    return what + " from Cost Explorer" + gross_note(lines)

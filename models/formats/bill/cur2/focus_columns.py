"""Computes the FOCUS columns of a CUR 2.0 line: payer, service, pricing, amounts."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.rules.usage_type_patterns import POD
from models.contract.schema import AMOUNT, DELIVERY_NUMBER, NUMBER
from models.formats import fields
from models.formats.bill.cur2 import amortised_costs as costs
from models.formats.bill.cur2 import columns as col
from models.formats.bill.cur2.tags import focus_tags
from models.formats.bill.gross_figures import GROSS_NOTE
from models.formats.json_fields import entry

LINE_TYPE, NOT_CHARGED = "LineType", "NotCharged"
"""Columns besides FOCUS' own: the line item type, and whether the line is left out."""
ZONE = r"^([a-z]{2}(-[a-z]+)+-[0-9]+)"
STORAGE = ("AmazonS3", "AmazonEFS", "AmazonFSx", "AmazonGlacier", "AmazonS3GlacierDeepArchive")
SUPPORT = r"^(OCBPremiumSupport|AWSEnterpriseOnRamp|AWS[A-Za-z]*Support[A-Za-z]*)$"
NETWORK = (
    "AmazonVPC", "AWSDataTransfer", "AmazonCloudFront", "AmazonRoute53", "AWSDirectConnect",
    "AWSELB", "AmazonApiGateway", "AWSGlobalAccelerator",
)  # fmt: skip


def focus_columns(lines: ir.Table, tags: Tags | None = None) -> ir.Table:
    """Converts CUR 2.0 lines to FOCUS columns; includes the configured tags if `tags` is given."""
    lines = costs.with_costs(lines)
    kind = fields.text(lines, col.TYPE)
    negation = (kind == col.NEGATION).fill_null(False)
    found: dict[str, ir.Value] = {
        "BillingAccountId": fields.text(lines, col.PAYER),
        "SubAccountId": fields.text(lines, "line_item_usage_account_id"),
        "BillingPeriodStart": fields.timestamp(lines, col.PERIOD),
        "ChargePeriodStart": fields.timestamp(lines, col.STARTED),
        "ChargePeriodEnd": fields.timestamp(lines, col.ENDED),
        "BillingCurrency": fields.text(lines, col.CURRENCY),
        "InvoiceId": fields.text(lines, "bill_invoice_id"),
        LINE_TYPE: kind,
        NOT_CHARGED: negation | lines[costs.IN_NET_FIGURES],
        **_what_was_charged(lines, kind),
        **_how_it_was_bought(lines, kind),
        **_amounts(lines, kind),
    }
    if tags:
        found |= focus_tags(lines, tags)
    if col.PARENT in lines.columns:
        found[col.PARENT] = fields.text(lines, col.PARENT)
        split = (name for name in col.HELD_BY_POD if name in lines.columns)
        found |= {name: lines[name] for name in split}
        found |= {n: lines[costs.UNUSED_SPLIT] for n in (col.UNUSED_SPLIT,) if n in found}
    numbered = [lines[name] for name in (DELIVERY_NUMBER,) if name in lines.columns]
    return lines.select(*numbered, **found)


def _what_was_charged(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """Computes FOCUS service, region, resource, category and usage type of CUR 2.0 lines."""
    code = fields.text(lines, "line_item_product_code")
    description = fields.text(lines, col.DESCRIPTION)
    gross = lines[costs.GROSS]
    zone = fields.text(lines, "line_item_availability_zone").re_extract(ZONE, 1).nullif("")
    return {
        "ProviderName": ibis.literal("AWS"),
        "ServiceName": ibis.ifelse(
            code.re_search(SUPPORT).fill_null(False),
            "AWS Support",
            ibis.coalesce(_product(lines, "product_name"), code),
        ),
        "ServiceCategory": ibis.cases(
            (code.isin(STORAGE), "Storage"), (code.isin(NETWORK), "Networking")
        ),
        "RegionId": ibis.coalesce(_product(lines, "region_code"), _product(lines, "region"), zone),
        "ResourceId": fields.text(lines, "line_item_resource_id"),
        "ChargeCategory": _category(lines, kind),
        "ChargeClass": ibis.ifelse(kind == "Refund", "Correction", None),
        "ChargeDescription": ibis.ifelse(
            gross, description.fill_null("") + GROSS_NOTE, description
        ),
        "SkuMeter": _meter(lines),
        "SkuPriceDetails.InstanceType": _product(lines, "instance_type"),
        col.GROSS_LINES: gross.cast("int64"),
    }


def _how_it_was_bought(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """Computes FOCUS pricing, frequency, commitment and reservation columns of CUR 2.0 lines."""
    plan = fields.text(lines, "savings_plan_savings_plan_a_r_n")
    reservation = fields.text(lines, col.RESERVATION)
    capacity = costs.reserves_capacity(lines)
    covered = kind.isin((col.COVERED, col.RESERVED)).fill_null(False) & ~capacity
    term = fields.text(lines, "pricing_term").fill_null("")
    spot = (term == "Spot") | fields.text(lines, col.METER).contains("SpotUsage:")
    committed = covered | kind.isin((col.NEGATION, col.PLAN_UPFRONT)) | (term == "Reserved")
    named = fields.text(
        lines, "capacity_reservation_capacity_reservation_arn", "capacity_reservation_arn"
    )
    return {
        "PricingCategory": ibis.cases(
            (spot.fill_null(False), "Dynamic"), (committed.fill_null(False), "Committed")
        ),
        "ChargeFrequency": ibis.cases(
            (kind.isin(("Fee", col.PLAN_UPFRONT)), "One-Time"),
            (kind.isin((col.PLAN_FEE, col.RESERVED_FEE)), "Recurring"),
            else_="Usage-Based",
        ),
        "CommitmentDiscountId": ibis.coalesce(plan, ibis.ifelse(capacity, None, reservation)),
        "CommitmentDiscountStatus": ibis.ifelse(covered, "Used", None),
        "CapacityReservationId": ibis.coalesce(named, ibis.ifelse(capacity, reservation, None)),
        "CapacityReservationStatus": fields.text(
            lines, "capacity_reservation_capacity_reservation_status", "capacity_reservation_status"
        ),
    }


def _amounts(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """Computes the four FOCUS costs and the usage of CUR 2.0 lines.

    Those of refunds get their sign from `bill.signs_of_refunds`. A discount has neither list cost
    nor hours. A list cost of $0 for paid usage is unknown, as in FOCUS, but not of dollars without
    hours.
    """
    effective, billed = lines[costs.EFFECTIVE], lines[costs.BILLED]
    discount = kind.re_search(col.DISCOUNT).fill_null(False)
    listed = fields.amount(lines, col.LIST_COST)
    used = kind.isin(col.USAGE_TYPES).fill_null(False)
    hours = fields.amount(lines, col.QUANTITY, NUMBER).fill_null(1) != 0
    return {
        "EffectiveCost": effective,
        "BilledCost": billed,
        "ListCost": ibis.cases(
            (discount, ibis.literal(0).cast(AMOUNT)),
            ((used & hours & (effective != 0)).fill_null(False), listed.nullif(0)),
            else_=listed,
        ),
        "ContractedCost": ibis.cases(
            ((kind == col.RESERVED).fill_null(False), ibis.null(AMOUNT)), else_=billed
        ),
        "ConsumedQuantity": ibis.ifelse(used | _refunds_hours(lines, kind), _quantity(lines), 0),
        "ConsumedUnit": fields.text(lines, col.UNIT),
    }


def _refunds_hours(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    """Whether a CUR 2.0 line refunds hours, not a lump sum: it has a unit or a price.

    A lump sum has neither, and its quantity is just 1.
    """
    priced = fields.amount(lines, col.LIST_COST).fill_null(0) != 0
    return (kind == "Refund").fill_null(False) & (fields.text(lines, col.UNIT).notnull() | priced)


def _quantity(lines: ir.Table) -> ir.Value:
    """Returns a CUR 2.0 line's used quantity; a pod's is its share of the instance's."""
    given = fields.amount(lines, col.QUANTITY, NUMBER)
    part = fields.amount(lines, col.SPLIT_QUANTITY, NUMBER)
    return ibis.ifelse(lines[costs.IS_POD], ibis.coalesce(part, given), given)


def _category(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    """Derives the FOCUS charge category (Usage, Purchase, Tax, …) of a CUR 2.0 line.

    A fee is a purchase where it names its commitment; otherwise it is usage.
    """
    commits = fields.text(lines, col.RESERVATION).notnull() | costs.is_block_fee(lines)
    return ibis.cases(
        (kind.isin(("Tax", "Credit")), kind),
        (kind == "Refund", "Adjustment"),
        ((kind == col.PLAN_UPFRONT) | ((kind == "Fee") & commits), "Purchase"),
        else_="Usage",
    )


def _meter(lines: ir.Table) -> ir.Value:
    """Returns a CUR 2.0 line's usage type; adds a pod's mark if only other columns have it.

    Those other columns are the operation and the parent.
    """
    meter = fields.text(lines, col.METER)
    unmarked = lines[costs.IS_POD] & ~meter.re_search(POD).fill_null(False)
    return ibis.ifelse(unmarked, meter.fill_null("") + " EKSPod-EC2", meter)


def _product(lines: ir.Table, key: str) -> ir.Value:
    flat = fields.text(lines, f"product_{key}", f"product_product_{key}")
    return ibis.coalesce(flat, entry(lines, "product", key))

"""CUR 2.0, AWS's Cost and Usage Report as Data Exports deliver it, as charges.

A line is first told in FOCUS' words and then read as FOCUS is, so both mean the same. What it costs
is in `cur2_costs`. Savings Plan usage is billed with the plan's fee: its on-demand equivalent is no
dollars here, and the negation that takes it back no charge. Nor is a discount's line where net
figures hold it. Lines of recurring fees become two (`fees`). Times are UTC, end dates exclusive.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, NUMBER
from models.formats import fields
from models.formats.bill import cur2_costs as costs
from models.formats.bill import cur2_tags, fees, focus, plausible_dates
from models.formats.bill.cost_explorer import GROSS

NAME = "cur2"
VIEW: Literal["charges"] = "charges"
STARTED, CURRENCY = "line_item_usage_start_date", "line_item_currency_code"
REQUIRED = (costs.TYPE, costs.METER, STARTED, costs.UNBLENDED, CURRENCY)
FILLED = (costs.TYPE, STARTED, costs.UNBLENDED)
QUANTITY, PART = "line_item_usage_amount", "split_line_item_split_usage"
UNIT = "pricing_unit"
ENDED = "line_item_usage_end_date"
MAPS = (*cur2_tags.COLUMNS, "product")
NEEDED = {
    costs.COVERED: (costs.PLAN,),
    costs.PLAN_FEE: (costs.COMMITTED, costs.SPENT),
    costs.RESERVED: (costs.HELD,),
}
"""Amounts without which a line's cost is unknown: read as $0 it would make a run look free."""
SELECT = "select this column in the export, then deliver it again"
GROSS_LINES = "GrossLines"
"""In a delivery's totals: how many lines of usage cost a gross figure."""
ZONE = r"^([a-z]{2}(-[a-z]+)+-[0-9]+)"
STORAGE = ("AmazonS3", "AmazonEFS", "AmazonFSx", "AmazonGlacier", "AmazonS3GlacierDeepArchive")
SUPPORT = r"^(OCBPremiumSupport|AWS[A-Za-z]*Support[A-Za-z]*)$"
NETWORK = ("AmazonVPC", "AWSDataTransfer", "AmazonCloudFront", "AmazonRoute53", "AWSDirectConnect")


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Charges; a line of recurring fees becomes two."""
    return focus.rows(_charges(lines, tags), tags)


def condensed(lines: ir.Table, tags: Tags) -> ir.Table:
    """Lines of a day that only differ in their amounts, as one; `rows` reads them like lines."""
    return focus.condensed(_charges(lines, tags).drop("Tags"), tags)


def refusals(lines: ir.Table) -> ir.Table:
    """Another currency, unreadable or absent amounts and times, amounts that a line needs."""
    currency = fields.text(lines, CURRENCY)
    beside = fields.text(lines, "line_item_line_item_description", costs.METER, costs.TYPE)
    again = "correct the file and deliver it again"
    return fields.faults(
        lines,
        [
            fields.Fault(
                fields.foreign(lines, CURRENCY, focus.CURRENCY),
                f"Currency ({CURRENCY}) is not {focus.CURRENCY}",
                currency,
                "one currency per warehouse: export this account in US dollars",
            ),
            *(fields.missing(lines, name, beside) for name in FILLED),
            *(fields.unreadable(lines, name, AMOUNT, again) for name in costs.AMOUNTS),
            *(fields.unreadable(lines, name, NUMBER, again) for name in (QUANTITY, PART)),
            *(fields.unreadable(lines, name, "json", again) for name in MAPS),
            *plausible_dates.refused(lines, STARTED, costs.PERIOD, ENDED),
            *_unpriced(lines),
            _unreserved(lines),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """As `focus.totals`, of the lines as billed; and `GROSS_LINES`."""
    return focus.totals(_told(lines), GROSS_LINES)


def _unpriced(lines: ir.Table) -> list[fields.Fault]:
    kind = fields.text(lines, costs.TYPE)
    lacking = [(used, (name,)) for used, names in NEEDED.items() for name in names]
    found = []
    for used, names in [*lacking, (costs.RESERVED_FEE, tuple(costs.UNUSED))]:
        silent = ibis.and_(*(fields.text(lines, name).isnull() for name in names))
        found.append(
            fields.Fault(
                ((kind == used) & silent).fill_null(False),
                f"{names[0]} is missing {fields.SOMEWHERE} ({used})",
                fields.text(lines, costs.METER),
                SELECT,
            )
        )
    return found


def _unreserved(lines: ir.Table) -> fields.Fault | None:
    """Without that column no fee says whether it prepays hours that stand amortised elsewhere."""
    if costs.RESERVATION in lines.columns:
        return None
    fee = (fields.text(lines, costs.TYPE) == "Fee").fill_null(False)
    problem = f"{costs.RESERVATION} is missing where there is a Fee"
    return fields.Fault(fee, problem, fields.text(lines, costs.METER), SELECT)


def _charges(lines: ir.Table, tags: Tags) -> ir.Table:
    """Lines as FOCUS has them; condensed ones are that already."""
    if "ChargeCategory" in lines.columns:
        return lines
    told = _told(lines, tags)
    told = told.filter(~told.Silent)
    covered = (told.LineType == costs.COVERED).fill_null(False)
    told = told.mutate(BilledCost=ibis.ifelse(covered, _nothing(), told.BilledCost))
    fee = told.LineType.isin((costs.PLAN_FEE, costs.RESERVED_FEE)).fill_null(False)
    both = fees.parted(told, fee)
    unused = (both.CommitmentDiscountStatus == "Unused").fill_null(False)
    return both.mutate(
        **{n: ibis.ifelse(unused, _nothing(), both[n]) for n in ("ListCost", "ContractedCost")}
    )


def _told(lines: ir.Table, tags: Tags | None = None) -> ir.Table:
    """A line's FOCUS columns, and the tags that are asked for."""
    lines = costs.costed(lines)
    kind = fields.text(lines, costs.TYPE)
    known: dict[str, ir.Value] = {
        "BillingAccountId": fields.text(lines, costs.PAYER),
        "SubAccountId": fields.text(lines, "line_item_usage_account_id"),
        "BillingPeriodStart": fields.instant(lines, costs.PERIOD),
        "ChargePeriodStart": fields.instant(lines, STARTED),
        "ChargePeriodEnd": fields.instant(lines, ENDED),
        "BillingCurrency": fields.text(lines, CURRENCY),
        "InvoiceId": fields.text(lines, "bill_invoice_id"),
        "LineType": kind,
        "Silent": (kind == costs.NEGATION).fill_null(False) | lines[costs.FOLDED],
        **_what(lines, kind),
        **_how(lines, kind),
        **_amounts(lines, kind),
    }
    if tags:
        known |= cur2_tags.asked(lines, tags)
    if costs.PARENT in lines.columns:
        known[costs.PARENT] = fields.text(lines, costs.PARENT)
    return lines.select(**known)


def _what(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """What was charged for."""
    code = fields.text(lines, "line_item_product_code")
    what = fields.text(lines, "line_item_line_item_description")
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
        "ChargeDescription": ibis.ifelse(gross, what.fill_null("") + GROSS, what),
        "SkuMeter": _meter(lines),
        "SkuPriceDetails.InstanceType": _product(lines, "instance_type"),
        GROSS_LINES: gross.cast("int64"),
    }


def _how(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """How it was bought: the commitment that paid for it, the reservation that held it."""
    plan = fields.text(lines, "savings_plan_savings_plan_a_r_n")
    named = fields.text(lines, costs.RESERVATION)
    block = costs.holds_capacity(lines)
    covered = kind.isin((costs.COVERED, costs.RESERVED)).fill_null(False) & ~block
    term = fields.text(lines, "pricing_term").fill_null("")
    spot = (term == "Spot") | fields.text(lines, costs.METER).contains("SpotUsage:")
    committed = covered | kind.isin((costs.NEGATION, costs.PLAN_UPFRONT)) | (term == "Reserved")
    return {
        "PricingCategory": ibis.cases(
            (spot.fill_null(False), "Dynamic"), (committed.fill_null(False), "Committed")
        ),
        "ChargeFrequency": ibis.cases(
            (kind.isin(("Fee", costs.PLAN_UPFRONT)), "One-Time"),
            (kind.isin((costs.PLAN_FEE, costs.RESERVED_FEE)), "Recurring"),
            else_="Usage-Based",
        ),
        "CommitmentDiscountId": ibis.coalesce(plan, ibis.ifelse(block, None, named)),
        "CommitmentDiscountStatus": ibis.ifelse(covered, "Used", None),
        "CapacityReservationId": ibis.coalesce(
            fields.text(lines, "capacity_reservation_capacity_reservation_arn",
                        "capacity_reservation_arn"),
            ibis.ifelse(block, named, None),
        ),
        "CapacityReservationStatus": fields.text(
            lines, "capacity_reservation_capacity_reservation_status", "capacity_reservation_status"
        ),
    }  # fmt: skip


def _amounts(lines: ir.Table, kind: ir.StringValue) -> dict[str, ir.Value]:
    """The four costs and the usage, which a refund may take back (`formats.corrections`).

    A discount has neither list cost nor hours.
    """
    effective, billed = lines[costs.EFFECTIVE], lines[costs.BILLED]
    discount = kind.re_search(costs.DISCOUNT).fill_null(False)
    listed = fields.amount(lines, costs.LISTED)
    used = kind.isin(costs.USED).fill_null(False)
    return {
        "EffectiveCost": effective,
        "BilledCost": billed,
        "ListCost": ibis.cases(
            (discount, _nothing()),
            ((used & (effective != 0)).fill_null(False), listed.nullif(0)),
            else_=listed,
        ),
        "ContractedCost": ibis.cases(
            ((kind == costs.RESERVED).fill_null(False), ibis.null(AMOUNT)), else_=billed
        ),
        "ConsumedQuantity": ibis.ifelse(used | _counts_back(lines, kind), _quantity(lines), 0),
        "ConsumedUnit": fields.text(lines, UNIT),
    }


def _counts_back(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    """Refunds that say of what their amount is, or at which price; of a lump sum it says 1."""
    priced = fields.amount(lines, costs.LISTED).fill_null(0) != 0
    return (kind == "Refund").fill_null(False) & (fields.text(lines, UNIT).notnull() | priced)


def _quantity(lines: ir.Table) -> ir.Value:
    """What was used; of a pod, the part of its instance that it was given."""
    given = fields.amount(lines, QUANTITY, NUMBER)
    part = fields.amount(lines, PART, NUMBER)
    return ibis.ifelse(lines[costs.POD], ibis.coalesce(part, given), given)


def _category(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    """A fee buys a commitment where it says which; any other fee is what it is for."""
    commits = fields.text(lines, costs.RESERVATION).notnull() | costs.is_block_fee(lines)
    return ibis.cases(
        (kind.isin(("Tax", "Credit")), kind),
        (kind == "Refund", "Adjustment"),
        ((kind == costs.PLAN_UPFRONT) | ((kind == "Fee") & commits), "Purchase"),
        else_="Usage",
    )


def _meter(lines: ir.Table) -> ir.Value:
    """The usage type; a pod's row that only its operation or its instance tells for one says so."""
    meter = fields.text(lines, costs.METER)
    silent = lines[costs.POD] & ~meter.re_search(focus.PODS).fill_null(False)
    return ibis.ifelse(silent, meter.fill_null("") + " EKSPod-EC2", meter)


def _product(lines: ir.Table, key: str) -> ir.Value:
    flat = fields.text(lines, f"product_{key}", f"product_product_{key}")
    return ibis.coalesce(flat, fields.entry(lines, "product", key))


def _nothing() -> ir.Value:
    return ibis.literal(0).cast(AMOUNT)

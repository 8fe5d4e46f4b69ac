"""Cost Explorer's answers as charges: one line a day, and a group of one of its requests.

Requests `run` and `workload` group usage with and without a run tag by that tag and usage type, for
plain usage, for what a commitment covered, for refunds and for discounts that no net figure holds;
`record_type` groups what is left by record type and usage type: together they are the whole bill.
`pair` and `left`, by month, are no charges: they name the workload of each run, and what of the
rest bears a run's tag (`models.engine.inputs.runs_hidden_by_grouping`). `account` tells each linked
account's month, as the check
of an export.
Net metrics are used where the account has any in that month, else the gross ones, and then
`ChargeDescription` says so (METHOD §2.1). A line of commitment fees carries two things, the fee
that was billed and the part of it that nobody used: it becomes a purchase and an unused hour. Usage
that a Savings Plan covered is billed at its on-demand price and taken back on a line without a tag:
it becomes the usage, which bills nothing, and a charge beside that taken-back line.
Resources, list prices and invoices are unknown to Cost Explorer, so null.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Labels, TagRule, Tags
from models.contract.schema import AMOUNT, CHARGES, NUMBER, with_tags
from models.formats import fields
from models.formats.bill import fees

NAME = "cost_explorer"
VIEW: Literal["charges", "progress", "prices"] = "charges"
REQUIRED: tuple[str, ...] = ("account", "month", "day", "currency", "amortized", "unblended")
CURRENCY = "USD"
COMMITMENTS = (
    *("savingsplanrecurringfee", "savingsplanupfrontfee", "rifee", "recurring", "upfront"),
)
"""Record types of what commitments cost; a Capacity Block's fee is told by its usage type."""
ASIDE = ("pair", "left")
"""Requests whose lines are no charges: others tell them too."""
PLAIN, FEE, COVERED = "plain", "fee", "covered"
AMOUNTS = ("amortized", "net_amortized", "unblended", "net_unblended")
GROSS = ", gross: the account has no net figures"
KINDS = "BoxUsage|SpotUsage|DedicatedUsage|HostBoxUsage|UnusedBox|UnusedDed|Train|Cluster"
HOURS = rf"^([A-Z0-9]+-)?({KINDS}):"
FEES = r"^([A-Z0-9]+-)?((Compute|EC2|MachineLearning|SageMaker|Database)[A-Za-z]*SP|HeavyUsage):"
BLOCKS = r"(^|-)CapacityBlockFee:"
PREFIX = r"^([A-Z]{2,3}[A-Z]?[0-9]|EU)-"
REGIONS = {
    "USE1": "us-east-1",
    "USE2": "us-east-2",
    "USW1": "us-west-1",
    "USW2": "us-west-2",
    "CAN1": "ca-central-1",
    "SAE1": "sa-east-1",
    "EU": "eu-west-1",
    "EUW1": "eu-west-1",
    "EUW2": "eu-west-2",
    "EUW3": "eu-west-3",
    "EUC1": "eu-central-1",
    "EUN1": "eu-north-1",
    "EUS1": "eu-south-1",
    "APN1": "ap-northeast-1",
    "APN2": "ap-northeast-2",
    "APN3": "ap-northeast-3",
    "APS1": "ap-southeast-1",
    "APS2": "ap-southeast-2",
    "APS3": "ap-south-1",
    "APS4": "ap-southeast-3",
    "APS5": "ap-south-2",
    "APS6": "ap-southeast-4",
}
"""The region codes of usage types; EC2 writes none for us-east-1. Any other region is unknown."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Charges; a line of commitment fees, or of usage that a plan covered, becomes two."""
    told = _charges(_owned(lines), tags)
    covered = told.filter(told.split == COVERED)
    alone = told.filter(told.split != COVERED)
    every = (
        fees.parted(alone, alone.split == FEE)
        .union(covered.mutate(BilledCost=ibis.literal(0).cast(AMOUNT)))
        .union(_taken_back(covered))
    )
    return every.select(*with_tags(CHARGES, tags.extra))


def refusals(lines: ir.Table) -> ir.Table:
    """Another currency, unreadable days or amounts."""
    currency = fields.text(lines, "currency")
    beside = fields.text(lines, "usage_type", "record_type")
    again = "pull again"
    return fields.faults(
        lines,
        [
            fields.Fault(
                (currency != CURRENCY).fill_null(True),
                f"Currency is not {CURRENCY}",
                currency,
                "one currency per warehouse",
            ),
            *(fields.missing(lines, name, beside) for name in REQUIRED),
            *(fields.unreadable(lines, name, AMOUNT, again) for name in AMOUNTS),
            *(fields.unreadable(lines, name, "date", again) for name in ("day", "month")),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """Dollars of each account and month, on the bases that Cost Explorer has."""
    lines = _billed(lines)
    linked = ibis.coalesce(fields.text(lines, "linked_account"), lines.account)
    costs = lines.select(
        account=lines.account + "|" + linked + "|" + lines.month.substr(0, 7),
        BilledCost=_cost(lines, "unblended"),
        EffectiveCost=_cost(lines, "amortized"),
    )
    return costs.group_by("account").agg(
        BilledCost=costs.BilledCost.sum().cast("string"),
        EffectiveCost=costs.EffectiveCost.sum().cast("string"),
    )


def _billed(lines: ir.Table) -> ir.Table:
    """Without what is told a second time."""
    return lines.filter(fields.text(lines, "request").fill_null("").notin(ASIDE))


def _owned(lines: ir.Table) -> ir.Table:
    """Charges with the one workload that `pair` names for their run; several name none."""
    pairs = lines.filter(fields.text(lines, "request") == ibis.literal("pair"))
    pairs = pairs.select(
        payer=fields.text(pairs, "account"),
        within=fields.text(pairs, "month"),
        named=fields.text(pairs, "run"),
        owner=fields.text(pairs, "workload"),
    )
    pairs = pairs.filter(pairs.named.notnull())
    known = pairs.group_by("payer", "within", "named").agg(
        owner=pairs.owner.max(), several=pairs.owner.nunique()
    )
    known = known.filter(known.several == 1).drop("several")
    billed = _billed(lines)
    run, own = fields.text(billed, "run"), fields.text(billed, "workload")
    billed = billed.mutate(run_=run, own_=own)
    same = [billed.account == known.payer, billed.month == known.within, billed.run_ == known.named]
    joined = billed.left_join(known, same)
    return joined.mutate(workload=ibis.coalesce(joined.own_, joined.owner)).drop(
        "run_", "own_", "payer", "within", "named", "owner"
    )


def _charges(lines: ir.Table, tags: Tags) -> ir.Table:
    """Each line as one charge, and what it is to be split into."""
    lines = _tagged(lines, tags)
    meter = fields.text(lines, "usage_type").nullif("NoUsageType")
    kind = _kind(lines)
    day = fields.instant(lines, "day")
    covered = (fields.text(lines, "record_class") == ibis.literal("covered")).fill_null(False)
    known: dict[str, ir.Value] = {
        "BillingAccountId": fields.text(lines, "account"),
        "SubAccountId": fields.text(lines, "linked_account"),
        "BillingPeriodStart": fields.text(lines, "month").cast("date"),
        "ChargePeriodStart": day,
        "ChargePeriodEnd": day + ibis.interval(days=1),
        "BillingCurrency": fields.text(lines, "currency"),
        "ProviderName": ibis.literal("AWS"),
        "ServiceName": _service(lines, kind),
        "RegionId": _region(meter),
        "ChargeCategory": _category(meter, kind),
        "ChargeClass": ibis.ifelse(kind == "refund", "Correction", None),
        "ChargeDescription": _description(lines),
        "PricingCategory": ibis.cases(
            (meter.re_search(r"(^|-)SpotUsage:").fill_null(False), "Dynamic"),
            (covered, "Committed"),
            else_=None,
        ),
        "CommitmentDiscountStatus": ibis.ifelse(covered, "Used", None),
        "SkuMeter": meter,
        "ConsumedQuantity": _hours(lines, meter),
        "ConsumedUnit": ibis.ifelse(meter.re_search(HOURS), "Hrs", None),
        "workload": fields.text(lines, "workload"),
        "run": fields.text(lines, "run"),
        **_ruled(lines, tags, day),
        "EffectiveCost": _cost(lines, "amortized"),
        "BilledCost": _cost(lines, "unblended"),
    }
    schema = with_tags(CHARGES, tags.extra)
    return lines.select(
        **{name: known.get(name, ibis.null(dtype)).cast(dtype) for name, dtype in schema.items()},
        split=_split(meter, kind, covered & (_cost(lines, "unblended") != 0)),
    )


def _kind(lines: ir.Table) -> ir.StringValue:
    """The record type in one spelling: AWS writes `SavingsPlanNegation` and `Savings Plan …`."""
    told = fields.text(lines, "record_type").lower().re_replace(r"[^a-z]", "")
    return cast(ir.StringValue, told)


def _split(meter: ir.StringValue, kind: ir.StringValue, covered: ir.BooleanValue) -> ir.Value:
    """Refunds of a commitment take back what it was billed and left unused."""
    committed = meter.re_search(FEES).fill_null(False) | kind.isin(COMMITMENTS).fill_null(False)
    block = meter.re_search(BLOCKS).fill_null(False)
    aside = kind.isin(("credit", "tax")).fill_null(False) | kind.startswith("support").fill_null(
        False
    )
    return ibis.cases(
        (committed & ~block & ~aside, FEE), (covered.fill_null(False), COVERED), else_=PLAIN
    )


def _tagged(lines: ir.Table, tags: Tags) -> ir.Table:
    """With the tags that Cost Explorer was asked for as `Tags`, which `[[tag_rules]]` match."""
    if not _rules(tags):
        return lines
    held = {tags.workload: "workload", tags.run: "run"}
    keys = ibis.array([ibis.literal(key) for key in held])
    values = ibis.array([fields.text(lines, name) for name in held.values()])
    return lines.mutate(Tags=ibis.map(keys, values))


def _ruled(lines: ir.Table, tags: Tags, day: ir.TimestampValue) -> dict[str, ir.Value]:
    """Corrections of tags; without any, the delivered run tag stands."""
    if not _rules(tags):
        return {}
    resolved = fields.resolved_tags(lines, tags, day)
    return {name: resolved[name] for name in ("workload", "run")}


def _rules(tags: Tags) -> tuple[TagRule, ...]:
    return tags.rules if isinstance(tags, Labels) else ()


def _taken_back(covered: ir.Table) -> ir.Table:
    """What covered usage was billed before the plan's negation; nobody's, as that is."""
    return covered.mutate(
        ConsumedQuantity=ibis.null(NUMBER),
        ConsumedUnit=ibis.null("string"),
        EffectiveCost=ibis.literal(0).cast(AMOUNT),
        PricingCategory=ibis.null("string"),
        CommitmentDiscountStatus=ibis.null("string"),
        workload=ibis.null("string"),
        run=ibis.null("string"),
    )


def _cost(lines: ir.Table, metric: str) -> ir.DecimalValue:
    """The net metric where the account has net figures that month, else the gross one."""
    net = fields.amount(lines, f"net_{metric}")
    chosen = ibis.ifelse(_has_net(lines) & net.notnull(), net, fields.amount(lines, metric))
    return cast(ir.DecimalValue, chosen.cast(AMOUNT))


def _has_net(lines: ir.Table) -> ir.BooleanValue:
    net = [fields.amount(lines, f"net_{name}") for name in ("amortized", "unblended")]
    given = ibis.or_(*(value.fill_null(0) != 0 for value in net))
    month = ibis.window(group_by=[lines.account, lines.month])
    return cast(ir.BooleanValue, given.cast("int64").max().over(month) == 1)


def _description(lines: ir.Table) -> ir.Value:
    gross = ibis.ifelse(_has_net(lines), "", GROSS)
    what = fields.text(lines, "usage_type", "record_type").fill_null("")
    return what + " from Cost Explorer" + gross


def _service(lines: ir.Table, kind: ir.StringValue) -> ir.Value:
    service = fields.text(lines, "service")
    support = kind.startswith("support") & ~service.fill_null("").re_search(
        r"^AWS ?(Premium ?)?Support"
    )
    return ibis.ifelse(support.fill_null(False), "AWS Support", service)


def _category(meter: ir.StringValue, kind: ir.StringValue) -> ir.Value:
    return ibis.cases(
        (kind == "credit", "Credit"),
        (kind == "tax", "Tax"),
        (kind == "refund", "Adjustment"),
        (meter.re_search(BLOCKS), "Purchase"),
        else_="Usage",
    )


def _region(meter: ir.StringValue) -> ir.Value:
    code = meter.re_extract(PREFIX, 1).nullif("")
    named = ibis.cases(*((code == short, region) for short, region in REGIONS.items()))
    plain = code.isnull() & (meter.re_search(HOURS) | meter.re_search(BLOCKS)).fill_null(False)
    return ibis.ifelse(plain, "us-east-1", named)


def _hours(lines: ir.Table, meter: ir.StringValue) -> ir.Value:
    """Instance-hours; other quantities are sums of unlike units and too large for AMOUNT.

    A Savings Plan's negation repeats the hours that it covered, at less than nothing, and so does
    whatever else is told by its record type; a discount stands beside the hours and has none.
    """
    quantity = fields.text(lines, "usage_quantity")
    negation = (_cost(lines, "amortized") == 0) & (_cost(lines, "unblended") < 0)
    used = meter.re_search(HOURS) & ~negation & fields.text(lines, "record_type").isnull()
    beside = fields.text(lines, "record_class") == ibis.literal("discount")
    return ibis.cases((beside.fill_null(False), "0"), (used, quantity)).cast(AMOUNT)

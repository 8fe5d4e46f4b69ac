"""Public prices: one line an observation, dollars per instance-hour (Linux, shared tenancy).

Columns: instance_type, region, purchase_option, usd_per_hour, effective_from, observed_on.
`effective_from` is when the price took effect, `observed_on` when somebody saw it; they differ
(METHOD §2.5). Without `observed_on` the price was seen when it took effect. A `committed` rate has
a `plan` that says its term; it prices no run, Decide compares it.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import fields

NAME = "prices"
VIEW: Literal["prices"] = "prices"
REQUIRED = ("instance_type", "region", "purchase_option", "usd_per_hour", "effective_from")
OPTIONS = ("on_demand", "spot", "capacity_block", "committed")
TERM = r", \d+ yr(?:,|$)"
"""How the name of a plan says its term: `Compute, 3 yr, No Upfront`."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per observation, in the schema of `prices`."""
    effective = _day(lines, "effective_from")
    columns: dict[str, ir.Value] = {
        "instance_type": fields.text(lines, "instance_type"),
        "region": fields.text(lines, "region"),
        "purchase_option": _option(lines),
        "usd_per_hour": fields.amount(lines, "usd_per_hour"),
        "effective_from": effective,
        "observed_on": ibis.coalesce(_day(lines, "observed_on"), effective),
        "plan": fields.text(lines, "plan"),
    }
    return lines.select(
        **{name: columns.get(name, ibis.null(dtype)) for name, dtype in PRICES.items()}
    )


def refusals(lines: ir.Table) -> ir.Table:
    """Unreadable or non-positive prices, unreadable dates, unknown purchase options."""
    price = _price(lines)
    option = fields.text(lines, "purchase_option")
    beside = fields.text(lines, "instance_type", "region")
    return fields.faults(
        lines,
        [
            *(fields.missing(lines, name, beside) for name in REQUIRED),
            fields.unreadable(lines, "usd_per_hour", AMOUNT, "write plain dollars per hour"),
            *(
                fields.unreadable(lines, name, "date", "write it as 2026-09-01")
                for name in ("effective_from", "observed_on")
            ),
            fields.Fault(
                (price <= 0).fill_null(False),
                "usd_per_hour is not a price",
                price,
                "leave an unknown price out, it is never 0",
            ),
            fields.Fault(
                ~_option(lines).isin(OPTIONS),
                "purchase_option is not known",
                option,
                f"one of {', '.join(OPTIONS)}",
            ),
            fields.Fault(
                (_option(lines) == "committed") & ~_termed(lines),
                "a committed rate without a plan that says its term",
                beside,
                "name it in the column plan: Compute, 3 yr, No Upfront",
            ),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """No bill: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)


def _day(lines: ir.Table, name: str) -> ir.Value:
    return fields.text(lines, name).cast("date") if name in lines.columns else ibis.null("date")


def _termed(lines: ir.Table) -> ir.BooleanValue:
    return fields.text(lines, "plan").re_search(TERM).fill_null(False)


def _option(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, fields.text(lines, "purchase_option").lower().replace("-", "_"))


def _price(lines: ir.Table) -> ir.Value:
    column = lines["usd_per_hour"]
    return column.try_cast(AMOUNT) if column.type().is_string() else column.cast(AMOUNT)

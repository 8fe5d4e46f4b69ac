"""Reads price files: one line per observed price, dollars per instance-hour (Linux, shared).

Columns: instance_type, region, purchase_option, usd_per_hour, effective_from, observed_on.
`effective_from` is when the price took effect, `observed_on` when somebody saw it; they differ
(METHOD §2.5). Without `observed_on` the price was seen when it took effect. A `committed` rate has
a `plan` that names its term; it prices no run, the page Decide compares it.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.line_faults import Fault
from models.formats.schema_rows import schema_rows

NAME = "prices"
VIEW: Literal["prices"] = "prices"
REQUIRED = ("instance_type", "region", "purchase_option", "usd_per_hour", "effective_from")
OPTIONS = ("on_demand", "spot", "capacity_block", "committed")
TERM = r", \d+ yr(?:,|$)"
"""How the name of a plan states its term: `Compute, 3 yr, No Upfront`."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts each line of a price file to a row of `prices`."""
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
    return schema_rows(lines, columns, PRICES)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each price line with missing or impossible values."""
    price, option = _price(lines), _option(lines)
    shown = fields.text(lines, "instance_type", "region")
    not_of_type = line_faults.not_of_type
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in REQUIRED),
            not_of_type(lines, "usd_per_hour", AMOUNT, "write plain dollars per hour"),
            not_of_type(lines, "effective_from", "date", "write it as 2026-09-01"),
            not_of_type(lines, "observed_on", "date", "write it as 2026-09-01"),
            _seen_in_the_future(lines),
            Fault(
                (price <= 0).fill_null(False),
                "usd_per_hour is not a price",
                price,
                "leave an unknown price out, it is never 0",
            ),
            Fault(
                ~option.isin(OPTIONS),
                "purchase_option is not known",
                fields.text(lines, "purchase_option"),
                f"one of {', '.join(OPTIONS)}",
            ),
            Fault(
                (option == "committed") & ~_names_term(lines),
                "a committed rate without a plan that says its term",
                shown,
                "name it in the column plan: Compute, 3 yr, No Upfront",
            ),
        ],
    )


totals = no_totals


def _day(lines: ir.Table, name: str) -> ir.Value:
    return fields.text(lines, name).cast("date") if name in lines.columns else ibis.null("date")


def _seen_in_the_future(lines: ir.Table) -> Fault:
    """Builds the check that refuses a price seen after tomorrow: it would be the newest for ever.

    Tomorrow, because it has begun in zones ahead of UTC.
    """
    given = fields.text(lines, "observed_on")
    tomorrow = ibis.now().cast("timestamp") + ibis.interval(days=1)
    wrong = (given.try_cast("date") > tomorrow.date()).fill_null(False)
    return Fault(wrong, "observed_on is in the future", given, "write the day you saw the price")


def _names_term(lines: ir.Table) -> ir.BooleanValue:
    return fields.text(lines, "plan").re_search(TERM).fill_null(False)


def _option(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, fields.text(lines, "purchase_option").lower().replace("-", "_"))


def _price(lines: ir.Table) -> ir.Value:
    column = lines["usd_per_hour"]
    return column.try_cast(AMOUNT) if column.type().is_string() else column.cast(AMOUNT)

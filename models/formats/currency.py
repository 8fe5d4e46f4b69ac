"""Refuses amounts that are not in US dollars: a warehouse has one currency (METHOD §2.4)."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

from models.formats.line_faults import Fault

CURRENCY = "USD"
REMEDY = "one currency per warehouse"
EXPORT_IN_DOLLARS = f"{REMEDY}: export this account in US dollars"


def other_currency(
    wrong: ir.BooleanValue, value: ir.Value, *, column: str = "Currency", remedy: str = REMEDY
) -> Fault:
    """Returns the `Fault` that refuses delivered lines in another currency than US dollars.

    `wrong` is the condition that holds for such lines; `value` is shown in the message.
    """
    return Fault(wrong, f"{column} is not {CURRENCY}", value, remedy)


def is_other(currency: ir.StringValue) -> ir.BooleanValue:
    """Returns the condition that a column of currencies is filled, but not with US dollars."""
    return cast(ir.BooleanValue, (currency != CURRENCY).fill_null(False))


def is_other_or_missing(lines: ir.Table, name: str) -> ir.BooleanValue:
    """Returns the condition that a line states no currency, or another than USD (`usd` is fine).

    The plain text is compared first: where every line says `USD`, a Parquet file's statistics
    answer that without reading it.
    """
    given = cast(ir.StringValue, lines[name].cast("string"))
    other = (given != CURRENCY).fill_null(True) & (given.upper() != CURRENCY).fill_null(True)
    return cast(ir.BooleanValue, other)

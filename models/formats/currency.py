"""Refuses every amount that is not in US dollars: one currency per warehouse (METHOD §2.4)."""

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
    """Refuses the lines where `wrong` holds, as being in another currency; `value` is shown."""
    return Fault(wrong, f"{column} is not {CURRENCY}", value, remedy)


def is_other(currency: ir.StringValue) -> ir.BooleanValue:
    """Whether a currency is given and is not US dollars; null counts as fine."""
    return cast(ir.BooleanValue, (currency != CURRENCY).fill_null(False))


def is_other_or_missing(lines: ir.Table, name: str) -> ir.BooleanValue:
    """Whether a line names another currency in the column `name`, in any case, or none.

    Compared plainly first: where every line says `USD`, a Parquet file's statistics answer it.
    """
    given = cast(ir.StringValue, lines[name].cast("string"))
    other = (given != CURRENCY).fill_null(True) & (given.upper() != CURRENCY).fill_null(True)
    return cast(ir.BooleanValue, other)

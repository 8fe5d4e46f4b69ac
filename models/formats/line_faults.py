"""Selects the delivered lines to refuse, with what is wrong with each."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import PORTFOLIO
from models.contract.schema import AMOUNT, NUMBER
from models.formats import fields
from models.formats.null_text import null_if_blank

ROW_NUMBER = "file_row_number"
"""DuckDB's number of a line in its file, from 0; only refused files are numbered."""
SOMEWHERE = "on a line"
"""Stands in a problem where `models.intake` writes the number of the line, or its `PLACE`."""
PLACE = "place"
"""The column of where a faulty line is, in words, if its format says so: `in run 8f0e, crab`."""


@dataclass(frozen=True)
class Fault:
    """A check of delivered lines: the condition that refuses a line, and the words of the error."""

    wrong: ir.BooleanValue
    problem: str
    value: ir.Value
    remedy: str


def faulty_lines(
    lines: ir.Table, checks: Iterable[Fault | None], place: ir.Value | None = None
) -> ir.Table:
    """Returns problem, value and remedy of each line that fails a check, not the line itself.

    Lines that have a `ROW_NUMBER` keep it, and `place` says where each of them is. A line with
    several faults is returned with the first one. Conditions compare plain columns, so that an
    engine can skip most of a Parquet file by its statistics.
    """
    faults = [check for check in checks if check]

    def of_first(word: Callable[[Fault], ir.Value]) -> ir.Value:
        return cast(ir.Value, ibis.cases(*((fault.wrong, word(fault)) for fault in faults)))

    wrong = functools.reduce(operator.or_, (fault.wrong for fault in faults))
    numbers = {ROW_NUMBER: lines[ROW_NUMBER]} if ROW_NUMBER in lines.columns else {}
    return lines.filter(wrong).select(
        problem=of_first(lambda fault: ibis.literal(fault.problem)),
        value=of_first(lambda fault: fault.value.cast("string").fill_null("nothing")),
        remedy=of_first(lambda fault: ibis.literal(fault.remedy)),
        **numbers,
        **({} if place is None else {PLACE: place}),
    )


def any_faulty(faulty: ir.Table) -> ir.Table:
    """Returns one row if a result of `faulty_lines` has any line, else none.

    Such a result is a selection of words from the lines that fail a check. The words are left out
    here: DuckDB plans them for longer than it reads the lines of a day, and most files have none.
    """
    lines: ir.Table = faulty.op().parent.to_expr()
    return lines.select(found=ibis.literal(True)).limit(1)


LARGEST = {AMOUNT: 1e9, NUMBER: 1e29}
"""What the decimals of a type have no digits for."""


def unreadable(lines: ir.Table, name: str, dtype: str, remedy: str) -> Fault | None:
    """Returns the `Fault` that refuses text unreadable as a type; None without a text column."""
    if name not in lines.columns or not lines[name].type().is_string():
        return None
    given = null_if_blank(lines[name])
    wrong = given.notnull() & _is_no_value(given, dtype)
    return Fault(wrong, f"{name} cannot be read", given, remedy)


def not_of_type(lines: ir.Table, name: str, dtype: str, remedy: str) -> Fault | None:
    """Returns the `Fault` that refuses what is no value of a type; None without such a column.

    Unlike `unreadable` it looks at columns of every type: a number may be a truth value, a list, a
    time, infinity, or NaN where the type has none.
    """
    if name not in lines.columns:
        return None
    given = fields.text(lines, name)
    read = lines[name] if lines[name].type().is_floating() else given  # text takes longer
    wrong = (given.notnull() & _is_no_value(read, dtype)).fill_null(False)
    return Fault(wrong, f"{name} cannot be read", given, remedy)


def _is_no_value(given: ir.Value, dtype: str) -> ir.BooleanValue:
    """Whether a value cannot be read as a type; a number written with `_` counts as unreadable.

    DuckDB reads `1_000` as a thousand and Spark as nothing, so the sums of a bill would differ.
    """
    wrong = cast(ir.BooleanValue, given.try_cast(dtype).isnull())
    if isinstance(given, ir.StringValue) and ibis.dtype(dtype).is_numeric():
        return wrong | given.contains("_")
    return wrong


def no_number(lines: ir.Table, name: str, dtype: str, remedy: str) -> Fault | None:
    """Returns the `Fault` that refuses what is no number of a type, quickly for millions of lines.

    Text that cannot be read as one; NaN, infinity and what is too large; every value of a column of
    truth values, times, lists. None without such a column.
    """
    if name not in lines.columns or lines[name].type().is_string():
        return unreadable(lines, name, dtype, remedy)
    column = lines[name]
    wrong = column.notnull()
    if isinstance(column, ir.NumericColumn) and not isinstance(column, ir.BooleanColumn):
        wrong = ~(column.abs() < LARGEST[dtype])
    if isinstance(column, ir.FloatingColumn):
        wrong = fields.is_nan(column) | wrong
    given = column.cast("string")
    return Fault(wrong.fill_null(False), f"{name} cannot be read", given, remedy)


def missing(lines: ir.Table, name: str, shown: ir.Value) -> Fault:
    """Returns the `Fault` that refuses delivered lines without a required field.

    `shown` is the value in the message, by which the user finds the line.
    """
    column = lines[name]
    blank = column.isnull()
    if column.type().is_string():
        # plain comparisons: a Parquet file's statistics answer them without reading the column
        blank = blank | (column == "") | (column == "NULL")
    return Fault(blank, f"{name} is missing {SOMEWHERE}", shown, "deliver it again, whole")


def portfolio_name(lines: ir.Table, name: str) -> Fault | None:
    """Returns the `Fault` that refuses a workload named `(portfolio)`; None without the column.

    That is the name of the total, so such a workload would count twice.
    """
    if name not in lines.columns:
        return None
    given = fields.text(lines, name)
    wrong = (given == PORTFOLIO).fill_null(False)
    problem = f"{name} is the name of all workloads together"
    return Fault(wrong, problem, given, "give the workload another name")

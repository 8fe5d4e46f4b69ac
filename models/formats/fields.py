"""Reads a delivered column as text, exact amount or UTC time.

A column that was not delivered reads as null, never as zero (METHOD §2.5). The formats call these
functions so that each format only states what its own fields mean.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT, MONEY
from models.formats.null_text import null_if_blank

NO_VALUE = -1e300
"""A number that nobody delivers."""


def text(lines: ir.Table, *names: str) -> ir.StringValue:
    """Returns a text column: a line's first value in several columns, past empty and `NULL` ones.

    Null where no column has one. Columns that the delivery lacks are skipped.
    """
    found = [null_if_blank(_as_text(lines[name])) for name in names if name in lines.columns]
    return cast(ir.StringValue, ibis.coalesce(*found) if found else ibis.null("string"))


def _as_text(column: ir.Column) -> ir.StringValue:
    """Returns a column as text; a whole number in a column of doubles without its point.

    pandas writes ids as doubles where some are null. Example: account 999900000001.0 is
    `999900000001`.
    """
    given = column.cast("string")
    if not isinstance(column, ir.FloatingColumn):
        return cast(ir.StringValue, given)
    whole = column.try_cast("int64")
    own = (whole == column).fill_null(False)
    return cast(ir.StringValue, ibis.ifelse(own, whole.cast("string"), given))


def trimmed(lines: ir.Table, *names: str) -> ir.Table:
    """Returns lines with leading and trailing blanks removed from some text columns.

    Columns that the delivery lacks, or that are no text, stay as they are.
    """
    texts = (name for name in names if name in lines.columns and lines[name].type().is_string())
    return lines.mutate(**{name: cast(ir.StringValue, lines[name]).strip() for name in texts})


def first_present(lines: ir.Table, *names: str) -> ir.StringValue:
    """Returns, as text, the column under the first of several names that lines have; else null."""
    found = (lines[name].cast("string") for name in names if name in lines.columns)
    return cast(ir.StringValue, next(found, ibis.null("string")))


def amount(lines: ir.Table, name: str, dtype: str = AMOUNT) -> ir.DecimalValue:
    """Returns the column of a delivered number as decimal; null if empty, `NULL` or absent.

    A delivered double is cast once, here (METHOD §2.3). A column of `MONEY` stays as wide as it is:
    lines that were added up may be more than the type of one line has digits for.
    """
    if name not in lines.columns:
        return cast(ir.DecimalValue, ibis.null(dtype))
    column = lines[name]
    if column.type() == ibis.dtype(MONEY):
        return cast(ir.DecimalValue, column)
    given = null_if_blank(column) if column.type().is_string() else column
    return cast(ir.DecimalValue, given.cast(dtype))


def timestamp(lines: ir.Table, name: str, *, attempt: bool = False) -> ir.TimestampValue:
    """Returns the column of a delivered time, in UTC; null if empty, `NULL` or absent.

    With `attempt`, unreadable text is null; without it, the query fails.
    """
    if name not in lines.columns:
        return cast(ir.TimestampValue, ibis.null("timestamp"))
    column = lines[name]
    if not column.type().is_string():
        return cast(ir.TimestampValue, column.cast("timestamp"))
    given = null_if_blank(column)
    zoned = given.try_cast("timestamp('UTC')") if attempt else given.cast("timestamp('UTC')")
    return cast(ir.TimestampValue, zoned.cast("timestamp"))


def is_nan(value: ir.FloatingValue) -> ir.BooleanValue:
    """Whether a delivered double is `NaN`.

    The statistics of a Parquet file leave `NaN` out, and DuckDB takes them for bounds of the
    column: it would answer no without a look. It looks at what passed through `nullif`.
    """
    return cast(ir.FloatingValue, value.nullif(NO_VALUE)).isnan()

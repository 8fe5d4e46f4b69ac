"""Reads the value of a key in a delivered map, struct or JSON object, such as tags."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from models.formats.null_text import null_if_blank


def entry(lines: ir.Table, column: str, key: str) -> ir.StringValue:
    """Returns a key's value in a map, struct or JSON column; null if empty, `NULL` or absent."""
    return null_if_blank(raw_entry(lines, column, key))


def raw_entry(lines: ir.Table, column: str, key: str) -> ir.StringValue:
    """Returns the expression of a key's value in a map, struct or JSON as delivered, else null.

    Pre-aggregated lines (`bill.pre_aggregation`) hold the value in a column of its own,
    `column.key`.
    """
    if f"{column}.{key}" in lines.columns:
        return cast(ir.StringValue, lines[f"{column}.{key}"])
    if column not in lines.columns:
        return cast(ir.StringValue, ibis.null("string"))
    held = lines[column]
    if held.type().is_map():
        return cast(ir.StringValue, cast(ir.MapValue, held).get(key).cast("string"))
    if held.type().is_struct():
        if key not in cast(dt.Struct, held.type()).names:
            return cast(ir.StringValue, ibis.null("string"))
        return cast(ir.StringValue, held[key].cast("string"))
    return cast(ir.StringValue, json_text(null_if_blank(held.cast("string")), key))


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]  # Ibis does not annotate it
def json_text(text: str, key: str) -> str:  # type: ignore[empty-body]  # each engine has its own
    """Reads the value of a key from JSON texts as text; compiled to each SQL engine's function.

    See `models.engine.sql.compilers`.
    """

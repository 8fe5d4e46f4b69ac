"""Selects computed columns in the order and types of a declared table."""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir


def schema_rows(
    lines: ir.Table, columns: Mapping[str, ir.Value], schema: Mapping[str, str]
) -> ir.Table:
    """Selects computed columns in a table's order, cast to its types; missing columns are null."""
    return lines.select(
        **{n: columns.get(n, ibis.null(dtype)).cast(dtype) for n, dtype in schema.items()}
    )

"""Tables by hand, for marts whose inputs no small world has together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa


def table(
    columns: Mapping[str, str], rows: Iterable[Mapping[str, Any] | Sequence[Any]]
) -> ir.Table:
    """Rows by column, or in the columns' order; what is left out is null."""
    named = [
        row if isinstance(row, Mapping) else dict(zip(columns, row, strict=False)) for row in rows
    ]
    kinds = ibis.schema(dict(columns)).to_pyarrow()
    return ibis.memtable(pa.Table.from_pylist(named, schema=kinds))

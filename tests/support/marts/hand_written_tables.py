"""Tables that a mart reads, written by hand, and what it makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa


def table(columns: Mapping[str, str], *rows: Mapping[str, object]) -> ir.Table:
    """What a row leaves out is unknown."""
    known = [{name: row.get(name) for name in columns} for row in rows]
    typed = ibis.schema(dict(columns)).to_pyarrow()
    return ibis.memtable(pa.Table.from_pylist(known, schema=typed))


def rows(made: ir.Table, *names: str) -> list[tuple[Any, ...]]:
    """In order of their texts; of the columns `names`."""
    found = made.select(*names).to_pyarrow().to_pylist()
    return sorted((tuple(row.values()) for row in found), key=str)

"""What a mart's function makes of tables by hand, compiled once for all tables of the same columns.

Ibis takes 0.1 to 0.5 s to compile one; DuckDB then needs some milliseconds for a few rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import ibis
import ibis.expr.types as ir
import pyarrow as pa

from models.engine.sql import rendering

_compiled: dict[object, tuple[str, ibis.Schema]] = {}


@dataclass(frozen=True)
class Made:
    """Rows of a mart, asked for as those of an Ibis table are."""

    table: pa.Table

    def select(self, *names: str) -> Made:
        """Some of its columns."""
        return Made(self.table.select(list(names)))

    def to_pyarrow(self) -> pa.Table:
        """All of its rows."""
        return self.table


def applied(mart: Callable[..., ir.Table], *given: object) -> Made:
    """The mart of tables by hand, and of settings where it reads them."""
    text, schema = _text(mart, given)
    tables = {f"given_{n}": _rows(g) for n, g in enumerate(given) if isinstance(g, ir.Table)}
    with _database().cursor() as con:
        con.execute("SET TimeZone = 'UTC'")
        for name, rows in tables.items():
            con.register(name, rows)
        return Made(con.sql(text).to_arrow_table().cast(schema.to_pyarrow()))


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Opened once in a process: that takes DuckDB longer than a few rows."""
    return duckdb.connect(config={"threads": 1})


def close() -> None:
    """Closes what was opened once: DuckDB tells of each object that the process ends with."""
    if _database.cache_info().currsize:
        _database().close()
        _database.cache_clear()


def forget() -> None:
    """Forgets what was compiled: a mart may be another since."""
    _compiled.clear()


def _rows(table: ir.Table) -> pa.Table:
    by_hand: Any = table.op()
    return by_hand.data.to_pyarrow(table.schema())


def _text(mart: Callable[..., ir.Table], given: tuple[object, ...]) -> tuple[str, ibis.Schema]:
    key = (mart, tuple(g.schema() if isinstance(g, ir.Table) else repr(g) for g in given))
    if key not in _compiled:
        named = [
            ibis.table(g.schema(), name=f"given_{place}") if isinstance(g, ir.Table) else g
            for place, g in enumerate(given)
        ]
        made = mart(*named)
        _compiled[key] = rendering.sql(made), made.schema()
    return _compiled[key]

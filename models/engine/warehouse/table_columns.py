"""Translates column types between DuckDB and Ibis, once per process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
from duckdb import DuckDBPyConnection
from ibis.backends.duckdb import Backend
from ibis.backends.sql.datatypes import DuckDBType

AS_DELIVERED = "union_by_name = true, hive_partitioning = false, binary_as_string = true"
"""Options of `read_parquet`: a folder is no column, and some programs write text as bytes."""
ENTRIES = re.compile(r'STRUCT\("?key"? VARCHAR, "?value"? VARCHAR\)\[\]', re.IGNORECASE)
"""DuckDB's type of a map, such as tags, that is written as a list of keys and values."""


@cache
def duckdb_type(kind: str) -> str:
    """Translates the name of an Ibis type to DuckDB's."""
    return str(DuckDBType.to_string(dt.dtype(kind)))


@cache
def ibis_type(kind: str) -> str:
    """Translates the name of a DuckDB type to Ibis's."""
    return str(DuckDBType.from_string(kind))


def columns_of(backend: Backend, name: str) -> dict[str, str]:
    """Returns the columns of a DuckDB table or view, with the names of their Ibis types."""
    described = backend.con.execute(f'DESCRIBE "{name}"').fetchall()
    return {column: ibis_type(kind) for column, kind, *_ in described}


def unbound(backend: Backend, name: str) -> ir.Table:
    """Returns an Ibis table with the name and columns of a DuckDB table or view, without rows."""
    return ibis.table(columns_of(backend, name), name=name)


def in_known_types(con: DuckDBPyConnection, source: str, added: str = "") -> str:
    """Returns the SQL of a source's rows, with those columns cast whose type Ibis does not know.

    Other programs write them into Parquet: times of nanoseconds with a zone, and columns in which
    nothing is known (`NULL`), which become text. Lists of keys and values become maps. `added` is
    one more column.
    """
    described = con.execute(f"DESCRIBE FROM {source}").fetchall()
    casts = ", ".join(
        _cast('"{}"'.format(name.replace('"', '""')), kind)
        for name, kind, *_ in described
        if ENTRIES.fullmatch(kind) or any(word in ibis_type(kind) for word in ("unknown", "null"))
    )
    known = f"* REPLACE ({casts})" if casts else "*"
    return f"SELECT {known}{f', {added}' if added else ''} FROM {source}"


def _cast(column: str, kind: str) -> str:
    if ENTRIES.fullmatch(kind):
        return f"map_from_entries({column}) AS {column}"
    if kind.endswith((")", "]")):  # maps, structures and lists of such
        return f"CAST(to_json({column}) AS VARCHAR) AS {column}"
    return f"CAST({column} AS {'TIMESTAMPTZ' if 'TIMESTAMP' in kind else 'VARCHAR'}) AS {column}"


def create_empty(backend: Backend, name: str, columns: Mapping[str, str]) -> None:
    """Creates or replaces an empty table with given column names and Ibis types.

    Ibis itself takes ten times as long to create one.
    """
    listed = ", ".join(f'"{column}" {duckdb_type(kind)}' for column, kind in columns.items())
    backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" ({listed})')

"""Opens the current snapshot, and reads its tables as batches, Arrow tables or rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.access.scope import Scope
from models.contract import schema
from models.contract.errors import StorageError
from models.engine.warehouse.connection import (
    REBUILD,
    WITH_SNAPSHOT_MEMORY,
    WITH_SNAPSHOT_THREADS,
    connect,
    dictionaries,
    open_backend,
    quoted_path,
    storage_errors,
)
from models.engine.warehouse.schema_versions import refuse_newer_snapshot
from models.engine.warehouse.scoped_views import create_views
from models.engine.warehouse.snapshots import Snapshots, current_snapshot

BATCH = 10_000
BESIDE_SNAPSHOT = "memory.main,published.main"


@contextmanager
def memory_with_snapshot(folder: Path) -> Iterator[Backend]:
    """Yields a small DuckDB database in memory with the current snapshot attached.

    Its threads and memory are limited, because a server answers other requests meanwhile. Raises
    `MissingDataError` before the first build.
    """
    path = current_snapshot(Snapshots(folder))
    with open_backend(None) as backend:
        backend.con.execute(f"ATTACH '{quoted_path(path)}' AS published (READ_ONLY)")
        refuse_newer_snapshot(backend.con, path, "published.")
        backend.con.execute(f"SET search_path = '{BESIDE_SNAPSHOT}'")
        backend.con.execute(f"SET threads = {WITH_SNAPSHOT_THREADS}")
        backend.con.execute(f"SET memory_limit = '{WITH_SNAPSHOT_MEMORY}'")
        yield backend


@contextmanager
def as_seen_by(scope: Scope, backend: Backend) -> Iterator[None]:
    """Within the block, tables of the attached snapshot have only rows that a scope may see.

    Beside them is a view of its workloads (`scoped_views.WORKLOADS`), unless it is everything. For
    `memory_with_snapshot`, once for each opened one.
    """
    if scope.everything:
        yield
        return
    path = create_views(backend.con, scope)
    backend.con.execute(f"SET search_path = '{path},memory.main'")
    yield
    backend.con.execute(f"SET search_path = '{BESIDE_SNAPSHOT}'")


class Relations:
    """Reads tables and views of an open DuckDB connection, as batches, Arrow tables or rows."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def batches(self, sql: str) -> pa.RecordBatchReader:
        """Streams the rows of an SQL query in record batches."""
        return self._connection.sql(sql).to_arrow_reader(BATCH)

    def columns(self, table: str) -> list[str]:
        """Lists the names of a table's or view's columns, in order."""
        described = self._connection.execute(f'SELECT * FROM "{table}" LIMIT 0').description
        return [column[0] for column in described or ()]

    def table(self, sql: str, parameters: Mapping[str, object]) -> pa.Table:
        """Returns the rows of an SQL query with named parameters as an Arrow table."""
        return self._connection.sql(sql, params=dict(parameters)).to_arrow_table()

    def rows(self, sql: str, parameters: Mapping[str, object]) -> list[dict[str, Any]]:
        """Returns the rows of an SQL query with named parameters as dictionaries."""
        return dictionaries(self._connection.execute(sql, dict(parameters)))

    def count(self, table: str, where: str) -> int:
        """Counts a table's rows; `where` is empty or a whole ` WHERE …` clause."""
        ((rows,),) = self._connection.execute(f'SELECT count(*) FROM "{table}"{where}').fetchall()
        return int(rows)

    def months(self, table: str, month: str) -> list[str]:
        """Lists distinct values of an SQL expression over a table, sorted, without null or ""."""
        found = self._connection.execute(f'SELECT DISTINCT {month} FROM "{table}" ORDER BY 1')
        return [value for (value,) in found.fetchall() if value]


@contextmanager
def published(folder: Path) -> Iterator[Relations]:
    """Yields the current snapshot for reading; raises an error if it is missing or incompatible."""
    path = current_snapshot(Snapshots(folder))
    connection = connect(path, read_only=True)
    try:
        with storage_errors(path, REBUILD):
            refuse_newer_snapshot(connection, path)
            refuse_other_version(connection)
            yield Relations(connection)
    finally:
        connection.close()


def refuse_other_version(snapshot: duckdb.DuckDBPyConnection) -> None:
    """Raises `StorageError` if a snapshot lacks a column that this version's marts declare."""
    found = snapshot.execute("SELECT table_name, column_name FROM duckdb_columns()")
    held = set(found.fetchall())
    required = {**schema.MARTS, **schema.EXPLAINERS}.items()
    named = ((n, c) for n, columns in required for c in columns if c != schema.TAGS)
    lacking = [f"{name}.{column}" for name, column in named if (name, column) not in held]
    if lacking:
        raise StorageError(
            "the snapshot was published by another version and lacks what this one shows",
            value=lacking[0],
            remedy="run `breakeven build`",
        )

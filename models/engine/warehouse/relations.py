"""Reads tables of one open DuckDB connection in batches, such as those of a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.contract import schema
from models.contract.errors import StorageError
from models.engine.warehouse.connection import (
    REBUILD,
    WITH_SNAPSHOT_MEMORY,
    WITH_SNAPSHOT_THREADS,
    connect,
    open_backend,
    quoted_path,
    storage_errors,
)
from models.engine.warehouse.schema_versions import refuse_newer_snapshot
from models.engine.warehouse.snapshots import Snapshots, current_snapshot

BATCH = 10_000


@contextmanager
def memory_with_snapshot(folder: Path) -> Iterator[Backend]:
    """Opens a small DuckDB database in memory with the current snapshot attached, to read both.

    Its threads and memory are limited, because a server answers other requests meanwhile. Raises
    `MissingDataError` before the first build.
    """
    path = current_snapshot(Snapshots(folder))
    with open_backend(None) as backend:
        backend.con.execute(f"ATTACH '{quoted_path(path)}' AS published (READ_ONLY)")
        refuse_newer_snapshot(backend.con, path, "published.")
        backend.con.execute("SET search_path = 'memory.main,published.main'")
        backend.con.execute(f"SET threads = {WITH_SNAPSHOT_THREADS}")
        backend.con.execute(f"SET memory_limit = '{WITH_SNAPSHOT_MEMORY}'")
        yield backend


class Relations:
    """Reads tables and views of one open DuckDB connection, in batches."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def batches(self, sql: str) -> pa.RecordBatchReader:
        """Streams the rows of an SQL query in record batches."""
        return self._connection.sql(sql).to_arrow_reader(BATCH)

    def count(self, table: str, where: str) -> int:
        """Counts a table's rows; `where` is empty or a whole ` WHERE …` clause."""
        ((rows,),) = self._connection.execute(f'SELECT count(*) FROM "{table}"{where}').fetchall()
        return int(rows)

    def months(self, table: str, month: str) -> list[str]:
        """Lists the distinct values of an SQL expression over a table, in order, without null."""
        found = self._connection.execute(f'SELECT DISTINCT {month} FROM "{table}" ORDER BY 1')
        return [value for (value,) in found.fetchall() if value]


@contextmanager
def published(folder: Path) -> Iterator[Relations]:
    """Opens the current snapshot to read; an error if there is none or it lacks our columns."""
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
    """Raises `StorageError` for a snapshot without every column that our marts declare."""
    found = snapshot.execute("SELECT table_name, column_name FROM duckdb_columns()")
    held = set(found.fetchall())
    wanted = {**schema.MARTS, **schema.EXPLAINERS}.items()
    named = ((n, c) for n, columns in wanted for c in columns if c != schema.TAGS)
    lacking = [f"{name}.{column}" for name, column in named if (name, column) not in held]
    if lacking:
        raise StorageError(
            "the snapshot was published by another version and lacks what this one shows",
            value=lacking[0],
            remedy="run `breakeven build`",
        )

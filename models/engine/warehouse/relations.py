"""Tables of one open connection read in batches, and the current snapshot opened for it."""

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
from models.engine.warehouse.snapshots import Snapshots, current_snapshot

BATCH = 10_000


@contextmanager
def memory_with_snapshot(folder: Path) -> Iterator[Backend]:
    """Opens a database in memory in which the current snapshot can be read as well.

    Modest, for it stands beside other requests of a server. Raises `MissingDataError` before the
    first build.
    """
    path = current_snapshot(Snapshots(folder))
    with open_backend(None) as backend:
        backend.con.execute(f"ATTACH '{quoted_path(path)}' AS published (READ_ONLY)")
        backend.con.execute("SET search_path = 'memory.main,published.main'")
        backend.con.execute(f"SET threads = {WITH_SNAPSHOT_THREADS}")
        backend.con.execute(f"SET memory_limit = '{WITH_SNAPSHOT_MEMORY}'")
        yield backend


class Relations:
    """Tables and views of one open connection, read in batches."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def batches(self, sql: str) -> pa.RecordBatchReader:
        """Returns the rows of a query, a batch at a time."""
        return self._connection.sql(sql).to_arrow_reader(BATCH)

    def count(self, table: str, where: str) -> int:
        """Counts the rows of a table that a condition leaves."""
        ((rows,),) = self._connection.execute(f'SELECT count(*) FROM "{table}"{where}').fetchall()
        return int(rows)

    def months(self, table: str, month: str) -> list[str]:
        """Returns the months that a table holds, oldest first."""
        found = self._connection.execute(f'SELECT DISTINCT {month} FROM "{table}" ORDER BY 1')
        return [value for (value,) in found.fetchall() if value]


@contextmanager
def published(folder: Path) -> Iterator[Relations]:
    """Opens the current snapshot for reading. Raises `MissingDataError` before the first build."""
    path = current_snapshot(Snapshots(folder))
    connection = connect(path, read_only=True)
    try:
        with storage_errors(path, REBUILD):
            refuse_other_version(connection)
            yield Relations(connection)
    finally:
        connection.close()


def refuse_other_version(snapshot: duckdb.DuckDBPyConnection) -> None:
    """Raises `StorageError` for a snapshot of another version that lacks columns of this one."""
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

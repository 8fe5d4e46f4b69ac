"""Writes schema versions to the warehouse and snapshots, and checks them on opening."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from ibis.backends.duckdb import Backend

from models.contract import schema_version
from models.engine.warehouse.connection import connect, writer

TABLE = "schema_version"


@contextmanager
def open_warehouse(file: Path) -> Iterator[Backend]:
    """Yields the warehouse opened for writing; recreates one of an older schema, refuses a newer.

    All in it is derived from the raw zone, so an older one is deleted and recreated. A newer one
    raises `StorageError` and is left unchanged.
    """
    if file.exists() and _of_warehouse(file) < schema_version.WAREHOUSE:
        file.unlink()
        file.with_name(f"{file.name}.wal").unlink(missing_ok=True)
    with writer(file) as backend:
        write_version(backend.con, "", schema_version.WAREHOUSE)
        yield backend


def write_version(connection: duckdb.DuckDBPyConnection, catalog: str, version: int) -> None:
    """Writes a schema version to its table in a catalog (`published.`); "" is the current one."""
    connection.execute(f"CREATE OR REPLACE TABLE {catalog}{TABLE} AS SELECT {version} AS version")


def refuse_newer_snapshot(
    connection: duckdb.DuckDBPyConnection, file: Path, catalog: str = ""
) -> None:
    """Raises `StorageError` if an opened snapshot has a newer schema than this program."""
    found = _version(connection, catalog)
    schema_version.refuse_newer(f"the snapshot {file.name}", found, schema_version.SNAPSHOT)


def _of_warehouse(file: Path) -> int:
    """Returns the schema version of the warehouse; `StorageError` if it is newer than ours."""
    connection = connect(file, read_only=True)
    try:
        found = _version(connection, "")
    finally:
        connection.close()
    schema_version.refuse_newer(f"{file}", found, schema_version.WAREHOUSE)
    return found


def _version(connection: duckdb.DuckDBPyConnection, catalog: str) -> int:
    """Reads the schema version of an opened database; the first version if none is written."""
    found = connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND database_name = "
        "coalesce(nullif(?, ''), current_database())",
        [TABLE, catalog.rstrip(".")],
    ).fetchall()
    if not found:
        return schema_version.FIRST
    ((version,),) = connection.execute(f"SELECT max(version) FROM {catalog}{TABLE}").fetchall()
    return int(version or schema_version.FIRST)

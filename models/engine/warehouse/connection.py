"""Opens DuckDB connections; the only file that calls `duckdb.connect`.

Every connection thinks in UTC, and DuckDB's own words for a damaged file or a full disk become one
line of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import ibis
from ibis.backends.duckdb import Backend

from models.contract.errors import StorageError

WITH_SNAPSHOT_THREADS, WITH_SNAPSHOT_MEMORY = 2, "768MB"
"""A report with plans, reservations and refunds by name is read by a query of so many steps that
DuckDB takes 300 MB for a hundred lines: what each step sets aside, not what it holds."""
CAUSE = "Original error: "
"""Before it DuckDB says what came of it, in lines of their own."""
NO_FILE = "set warehouse.path to a file of its own"
REBUILD = "it can be rebuilt: delete it and run `breakeven build`"


@contextmanager
def in_memory() -> Iterator[Backend]:
    """Yields an empty DuckDB database in memory, and closes it on leaving."""
    with open_backend(None) as backend:
        yield backend


def fetch(
    backend: Backend, sql: str, parameters: Mapping[str, object] | None = None
) -> list[dict[str, Any]]:
    """Runs an SQL query with named parameters and returns its rows as dictionaries."""
    return dictionaries(backend.con.execute(sql, dict(parameters or {})))


def dictionaries(cursor: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Returns the rows of a cursor's last query as dictionaries."""
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@lru_cache(maxsize=256)
def parsed(text: str) -> duckdb.Statement:
    """Parses one SQL statement; statements parsed before in this process come from a cache."""
    (statement,) = duckdb.extract_statements(text)
    return statement


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Runs the statements of the block in one transaction; whatever ends it early undoes them."""
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


@contextmanager
def writer(file: Path) -> Iterator[Backend]:
    """Yields the warehouse file opened for writing; the caller must have the lock."""
    with open_backend(file) as backend:
        yield backend


def threads_of(connection: duckdb.DuckDBPyConnection) -> int:
    """Returns how many threads DuckDB may use: as many as cores, unless set otherwise."""
    ((number,),) = connection.execute("SELECT current_setting('threads')").fetchall()
    return int(number)


@contextmanager
def on_threads(backend: Backend, number: int) -> Iterator[None]:
    """Lets DuckDB use a number of threads within a `with` block, in all of its connections."""
    before = threads_of(backend.con)
    backend.con.execute(f"SET threads = {number}")
    try:
        yield
    finally:
        backend.con.execute(f"SET threads = {before}")


def derive_in_memory(backend: Backend) -> None:
    """Directs tables created from now on to memory; they are dropped when the file is closed.

    These tables are neither compressed nor written. Where memory is short, DuckDB moves them to
    disk.
    """
    ((file,),) = backend.con.execute("SELECT current_catalog()").fetchall()
    names = [name.replace('"', '""') for name in (f"{file} apart", file)]
    path = ",".join(f'"{name}".main' for name in names).replace("'", "''")
    backend.con.execute("SET checkpoint_threshold = '1TB'")  # it would compress what is soon gone
    backend.con.execute(f"ATTACH ':memory:' AS \"{names[0]}\"")
    backend.con.execute(f"SET search_path = '{path}'")


@contextmanager
def open_backend(file: Path | None) -> Iterator[Backend]:
    """Yields a DuckDB file, or a database in memory, as an Ibis backend; closes it on leaving."""
    connection = connect(file)
    backend = ibis.duckdb.from_connection(connection)
    try:
        with storage_errors(file or Path(":memory:")):
            yield backend
    finally:
        connection.close()


def connect(file: Path | None, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Opens a DuckDB connection in UTC; `StorageError` if the file cannot be opened."""
    with storage_errors_on_open(file):
        connection = duckdb.connect(str(file) if file else ":memory:", read_only=read_only)
        connection.execute("SET TimeZone = 'UTC'")
        if not read_only:
            connection.execute("SET preserve_insertion_order = false")
        return connection


def attach_snapshot(file: Path) -> duckdb.DuckDBPyConnection:
    """Opens a published snapshot in DuckDB, read-only on one core, as the catalog `published`.

    Each call uses a DuckDB instance of its own. In a process that still has an earlier file of this
    name open, a shared instance would return that one.
    """
    with storage_errors_on_open(file):
        connection = duckdb.connect(":memory:")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")
        connection.execute(f"ATTACH '{quoted_path(file)}' AS published (READ_ONLY)")
        return connection


def cursor_inside(
    connection: duckdb.DuckDBPyConnection, search_path: str
) -> duckdb.DuckDBPyConnection:
    """Returns a new DuckDB cursor in which tables of a catalog or schema need no prefix."""
    cursor = connection.cursor()
    cursor.execute(f"SET search_path = '{search_path}'")
    return cursor


@contextmanager
def storage_errors_on_open(file: Path | None) -> Iterator[None]:
    """Converts, within the block, any DuckDB error of opening a file to `StorageError`."""
    try:
        yield
    except duckdb.Error as error:
        rebuilt = file is None or file.is_file() or not file.exists()
        raise StorageError(
            f"cannot open {file}",
            value=str(error).splitlines()[0],
            remedy=REBUILD if rebuilt else NO_FILE,
        ) from None


@contextmanager
def storage_errors(file: Path, remedy: str = "check the file and run again") -> Iterator[None]:
    """Converts, within the block, DuckDB's errors for a full disk or bad file to `StorageError`."""
    try:
        yield
    except duckdb.Error as error:
        if not (is_damage(error) or isinstance(error, duckdb.InvalidInputException)):
            raise
        message = str(error).rpartition(CAUSE)[2].splitlines()[0]
        full = "No space left" in message or "ENOSPC" in message
        remedy = "free some space and run again" if full else remedy
        raise StorageError(
            f"DuckDB could not work on {file}", value=message, remedy=remedy
        ) from None


def is_damage(error: duckdb.Error) -> bool:
    """Whether a DuckDB error is about files or storage.

    DuckDB raises an `OperationalError` then, or the bare class, as for a wrong checksum.
    """
    return type(error) is duckdb.Error or isinstance(error, duckdb.OperationalError)


def quoted_path(path: Path) -> str:
    """Escapes a path for use between single quotes in SQL."""
    return str(path).replace("'", "''")

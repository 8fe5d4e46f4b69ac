"""Lends empty DuckDB databases in memory, and keeps them open for whoever borrows next.

To open DuckDB takes longer than to read a small delivery: it registers thousands of functions each
time. A pull opens as many as it needs at once, not one for each file. No process is forked within
`keeping`: DuckDB's threads would not be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import duckdb
import ibis
from ibis.backends.duckdb import Backend

from models.engine.warehouse.connection import connect, storage_errors, threads_of


class Instance:
    """A DuckDB instance that one borrower at a time uses, with one database in it."""

    def __init__(self) -> None:
        self._connection = connect(None)
        self._threads = threads_of(self._connection)

    @contextmanager
    def database(self, threads: int | None, *, ordered: bool) -> Iterator[Backend]:
        """Yields an empty DuckDB database in memory."""
        with self._connection.cursor() as cursor:
            cursor.execute("ATTACH ':memory:' AS scratch")
            cursor.execute("USE scratch")
            cursor.execute(f"SET threads = {threads or self._threads}")
            cursor.execute(f"SET preserve_insertion_order = {ordered}")
            yield ibis.duckdb.from_connection(cursor)

    def empty(self) -> bool:
        """Drops the database with all that was made in it; false where DuckDB no longer works."""
        try:
            self._connection.execute("DETACH DATABASE IF EXISTS scratch")
        except duckdb.Error:
            return False
        return True

    def close(self) -> None:
        """Closes DuckDB."""
        self._connection.close()


class Lender:
    """Lends DuckDB instances, and keeps returned ones open while any caller asks for that."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[Instance] = SimpleQueue()
        self._keepers = 0

    def take(self) -> Instance:
        """Returns an idle DuckDB instance, or opens one."""
        try:
            return self._idle.get_nowait()
        except Empty:
            return Instance()

    def give_back(self, instance: Instance) -> None:
        """Keeps a DuckDB instance for the next borrower if any caller asks so; else closes it."""
        if self._keepers and instance.empty():
            self._idle.put(instance)
        else:
            instance.close()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keeps instances open within a `with` block, for all threads; closes them on leaving.

        A block inside another one leaves them to the outer.
        """
        self._keepers += 1
        try:
            yield
        finally:
            self._keepers -= 1
            while not self._keepers and not self._idle.empty():
                self._idle.get_nowait().close()


_LENDER = Lender()
keeping = _LENDER.keeping


@contextmanager
def scratch(*, threads: int | None = None, ordered: bool = False) -> Iterator[Backend]:
    """Yields an empty DuckDB database in memory; what is made in it is gone on leaving.

    It has as many threads as cores unless `threads` says otherwise; with `ordered`, rows keep their
    order. Within `keeping` its instance stays open for the next borrower.
    """
    instance = _LENDER.take()
    try:
        with storage_errors(Path(":memory:")), instance.database(threads, ordered=ordered) as given:
            yield given
    finally:
        _LENDER.give_back(instance)

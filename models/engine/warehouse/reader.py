"""Read-only access to the current snapshot for servers of many threads; it follows the pointer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from models.engine.warehouse.connection import (
    REBUILD,
    attach_snapshot,
    cursor_inside,
    dictionaries,
    is_damage,
    storage_errors,
)
from models.engine.warehouse.relations import refuse_other_version
from models.engine.warehouse.schema_versions import refuse_newer_snapshot
from models.engine.warehouse.snapshots import Snapshots, current_snapshot, snapshot_version

REMEMBERED, REMEMBERED_ROWS = 200, 500
"""Answers that a reader keeps, and the most rows of one."""


class Reader:
    """Runs read-only queries on the current snapshot, for servers of many threads.

    It follows the pointer to the current snapshot, and is safe between threads. A snapshot never
    changes, so recent answers are cached. A query takes one core and leaves the others to other
    readers.
    """

    def __init__(self, folder: Path) -> None:
        self._snapshots = Snapshots(folder)
        self._guard = threading.Lock()
        self._mark = ""
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._idle: list[duckdb.DuckDBPyConnection] = []
        self._answers: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()

    @property
    def mark(self) -> str | None:
        """Returns a text that identifies the current snapshot; None before the first build."""
        path = self._snapshots.current()
        return snapshot_version(path) if path else None

    def rows(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[dict[str, Any]]:
        """Returns an SQL query's rows of the current snapshot as dictionaries, cached or fresh."""
        try:
            return self._rows(sql, parameters)
        except (duckdb.BinderException, duckdb.CatalogException):
            with self._cursor() as (_, cursor):
                refuse_other_version(cursor)
            raise
        except duckdb.Error as error:
            if not (is_damage(error) or isinstance(error, duckdb.ConnectionException)):
                raise
            self.close()
        with storage_errors(current_snapshot(self._snapshots), REBUILD):
            return self._rows(sql, parameters)

    def _rows(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object]
    ) -> list[dict[str, Any]]:
        question = f"{sql}{parameters!r}"
        mark = self._follow()
        with self._guard:
            known = self._answers.get(mark + question)
        if known is None:
            with self._cursor() as (mark, cursor):
                cursor.execute(sql, parameters)
                known = dictionaries(cursor)
            self._remember(mark + question, known)
        return [row.copy() for row in known]

    def _remember(self, asked: str, answer: list[dict[str, Any]]) -> None:
        """Caches a query's result of up to 500 rows; beyond 200 results the oldest go."""
        if len(answer) > REMEMBERED_ROWS:
            return
        with self._guard:
            self._answers[asked] = answer
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)

    def refuse_other_version(self) -> None:
        """Raises `StorageError` for a snapshot that lacks what this version of the program shows.

        `MissingDataError` before the first build.
        """
        self._follow()
        with self._cursor() as (_, cursor):
            refuse_other_version(cursor)

    def close(self) -> None:
        """Closes the open snapshot as soon as no query of another thread reads it."""
        with self._guard:
            self._connection = None
            self._idle.clear()
            self._answers.clear()

    def forget(self) -> None:
        """Drops cached results of queries on the snapshot, so that each query is run again."""
        with self._guard:
            self._answers.clear()

    def _follow(self) -> str:
        """Opens the current snapshot if another one was published; returns what identifies it."""
        path = current_snapshot(self._snapshots)
        mark = snapshot_version(path)
        with self._guard:
            if self._connection is None or mark != self._mark:
                self._connection, self._mark = _opened(path), mark
                self._idle.clear()
                self._answers.clear()
        return mark

    @contextmanager
    def _cursor(self) -> Iterator[tuple[str, duckdb.DuckDBPyConnection]]:
        """Yields a DuckDB cursor on the current snapshot, and the text that identifies it."""
        self._follow()
        with self._guard:
            opened, mark = self._connection, self._mark
            if opened is None:
                raise duckdb.ConnectionException("closed meanwhile")
            cursor = self._idle.pop() if self._idle else cursor_inside(opened)
        yield mark, cursor
        with self._guard:
            if opened is self._connection:
                self._idle.append(cursor)


def _opened(path: Path) -> duckdb.DuckDBPyConnection:
    """Opens a snapshot to read; `StorageError` for one of a newer version."""
    found = attach_snapshot(path)
    refuse_newer_snapshot(found, path, "published.")
    return found

"""Reads the current snapshot, for servers with many threads; follows new snapshots.

It is the one place where the scope of who reads is applied (`scoped_views`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from models.access.scope import EVERYTHING, Scope
from models.engine.warehouse.connection import (
    REBUILD,
    attach_snapshot,
    cursor_inside,
    dictionaries,
    is_damage,
    storage_errors,
)
from models.engine.warehouse.relations import Relations, refuse_other_version
from models.engine.warehouse.schema_versions import refuse_newer_snapshot
from models.engine.warehouse.scoped_views import create_tables
from models.engine.warehouse.snapshots import Snapshots, current_snapshot, snapshot_version

REMEMBERED, REMEMBERED_ROWS = 200, 500
"""Answers that a reader keeps, and the most rows of one."""
Parameters = Sequence[object] | Mapping[str, object]
WHOLE = "published"
"""The search path of a cursor that reads every table of the snapshot."""


class Reader:
    """Runs read-only queries on the current snapshot, for servers with many threads.

    It follows the pointer to the current snapshot, and is safe between threads. A snapshot never
    changes, so recent answers are cached, each under the scope that it was read with. A query takes
    one core and leaves the others to other readers.
    """

    def __init__(self, folder: Path) -> None:
        self._snapshots = Snapshots(folder)
        self._guard = threading.Lock()
        self._opened: OpenedSnapshot | None = None
        self._answers: OrderedDict[object, list[dict[str, Any]]] = OrderedDict()

    @property
    def mark(self) -> str | None:
        """Returns a text that identifies the current snapshot; None before the first build."""
        path = self._snapshots.current()
        return snapshot_version(path) if path else None

    @property
    def published_at(self) -> datetime | None:
        """Returns when the current snapshot was published (UTC); None if there is none."""
        path = self._snapshots.current()
        with suppress(FileNotFoundError):
            return datetime.fromtimestamp(path.stat().st_mtime, UTC) if path else None
        return None

    def rows(
        self, sql: str, parameters: Parameters = (), scope: Scope = EVERYTHING
    ) -> list[dict[str, Any]]:
        """Returns the rows of an SQL query on the current snapshot as dictionaries; cached.

        Every table holds only what `scope` may see of it.
        """
        try:
            return self._rows(sql, parameters, scope)
        except (duckdb.BinderException, duckdb.CatalogException):
            self.refuse_other_version()
            raise
        except duckdb.Error as error:
            if not (is_damage(error) or isinstance(error, duckdb.ConnectionException)):
                raise
            self.close()
        with storage_errors(current_snapshot(self._snapshots), REBUILD):
            return self._rows(sql, parameters, scope)

    @contextmanager
    def one_snapshot(self, scope: Scope = EVERYTHING) -> Iterator[Relations]:
        """Yields the current snapshot, limited to a reader's scope, for queries that must agree.

        All that is read inside is of this snapshot, though another is published meanwhile. Raises
        `MissingDataError` before the first build, `StorageError` for one that cannot be read.
        """
        path = current_snapshot(self._snapshots)
        with self._follow().cursor(scope) as cursor, storage_errors(path, REBUILD):
            refuse_other_version(cursor)
            try:
                yield Relations(cursor)
            except duckdb.Error as error:
                if is_damage(error):
                    self.close()
                raise

    def _rows(self, sql: str, parameters: Parameters, scope: Scope) -> list[dict[str, Any]]:
        opened = self._follow()
        question = opened.mark, scope, sql, repr(parameters)
        with self._guard:
            known = self._answers.get(question)
        if known is None:
            with opened.cursor(scope) as cursor:
                cursor.execute(sql, parameters)
                known = dictionaries(cursor)
            self._remember(question, known)
        return [row.copy() for row in known]

    def _remember(self, question: object, answer: list[dict[str, Any]]) -> None:
        """Caches a query's result of up to 500 rows; beyond 200 results the oldest are dropped."""
        if len(answer) > REMEMBERED_ROWS:
            return
        with self._guard:
            self._answers[question] = answer
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)

    def refuse_other_version(self) -> None:
        """Raises `StorageError` if the snapshot lacks columns that this version shows.

        `MissingDataError` before the first build.
        """
        with self._follow().cursor(EVERYTHING) as cursor:
            refuse_other_version(cursor)

    def close(self) -> None:
        """Drops cached results and the open snapshot, which closes once no thread reads it."""
        with self._guard:
            self._opened = None
            self._answers.clear()

    def forget(self) -> None:
        """Drops cached query results, so that each query runs again."""
        with self._guard:
            self._answers.clear()

    def _follow(self) -> OpenedSnapshot:
        """Returns the current snapshot, reopened if another one was published."""
        path = current_snapshot(self._snapshots)
        mark = snapshot_version(path)
        with self._guard:
            if self._opened is None or mark != self._opened.mark:
                self._opened = OpenedSnapshot(path, mark)
                self._answers.clear()
            return self._opened


class OpenedSnapshot:
    """An open snapshot that lends DuckDB cursors, each limited to a reader's scope. Thread-safe.

    Raises `StorageError` for a snapshot of a newer version.
    """

    def __init__(self, path: Path, mark: str) -> None:
        self.mark = mark
        self._connection = attach_snapshot(path)
        refuse_newer_snapshot(self._connection, path, "published.")
        self._guard, self._copying = threading.Lock(), threading.Lock()
        self._paths = {EVERYTHING: WHOLE}
        self._idle: dict[Scope, list[duckdb.DuckDBPyConnection]] = {}

    @contextmanager
    def cursor(self, scope: Scope) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yields a DuckDB cursor that sees only a reader's scope; its tables need no prefix."""
        path = self._path(scope)
        with self._guard:
            idle = self._idle.setdefault(scope, [])
            cursor = idle.pop() if idle else cursor_inside(self._connection, path)
        yield cursor
        with self._guard:
            idle.append(cursor)

    def _path(self, scope: Scope) -> str:
        """Returns the search path of a scope's tables; the first call copies them, others wait."""
        if scope not in self._paths:
            with self._copying:
                if scope not in self._paths:
                    schema = f"scope_{len(self._paths)}"
                    connection = self._connection.cursor()
                    self._paths[scope] = create_tables(connection, scope, schema)
        return self._paths[scope]

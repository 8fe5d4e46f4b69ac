"""The only place that opens DuckDB: to work, to write, to publish, to read.

DuckDB shuts every other process out of a file that one process writes. So the one writer opens
`warehouse.duckdb` only during a job, under a lock; it publishes by writing a new file
`snapshots/<n>.duckdb` and replacing the pointer `snapshots/current.json`; readers open the file
pointed to, read-only.
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
from filelock import FileLock, Timeout
from ibis.backends.duckdb import Backend

from models.contract import schema
from models.contract.errors import BusyError, MissingDataError, StorageError
from models.raw import disk

POINTER = "current.json"
KEPT_SNAPSHOTS = 3
KEPT_SECONDS = 3600
BATCH = 10_000
REMEMBERED, REMEMBERED_ROWS = 200, 500
"""Answers that a reader keeps, and the most rows of one."""
BESIDE_THREADS, BESIDE_MEMORY = 2, "768MB"
"""A report with plans, reservations and refunds by name is read by a query of so many steps that
DuckDB takes 300 MB for a hundred lines: what each step sets aside, not what it holds."""
CAUSE = "Original error: "
"""Before it DuckDB says what came of it, in lines of their own."""
REBUILD = "it can be rebuilt: delete it and run `breakeven build`"


@contextmanager
def scratch() -> Iterator[Backend]:
    """An empty database in memory: for conversions and checks at the door."""
    with _opened(None) as backend:
        yield backend


@contextmanager
def beside(folder: Path) -> Iterator[Backend]:
    """A database in memory from which the current snapshot is read, too; for a look at the raw.

    Modest, for it stands beside other requests of a server. Raises `MissingDataError` before the
    first build.
    """
    path = _pointed(Snapshots(folder))
    with _opened(None) as backend:
        backend.con.execute(f"ATTACH '{_quoted(path)}' AS published (READ_ONLY)")
        backend.con.execute("SET search_path = 'memory.main,published.main'")
        backend.con.execute(f"SET threads = {BESIDE_THREADS}")
        backend.con.execute(f"SET memory_limit = '{BESIDE_MEMORY}'")
        yield backend


@contextmanager
def lock(folder: Path, *, purpose: str, wait: float = 0) -> Iterator[None]:
    """Holds the right to write under `folder`; waits `wait` seconds (-1: for ever) for it."""
    with disk.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    holder = folder / "writer.json"
    held = FileLock(folder / "writer.lock", timeout=wait)
    try:
        with disk.writing(folder):
            held.acquire()
    except Timeout:
        raise BusyError(
            f"another process is writing {folder}",
            value=_holder(holder),
            remedy="wait until it is done, or stop it",
        ) from None
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        disk.replace(holder, {"pid": os.getpid(), "verb": purpose, "since": since})
        yield
    finally:
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        held.release()


@contextmanager
def writer(file: Path) -> Iterator[Backend]:
    """The warehouse, open for writing. Call it under `lock`. A damaged file is named."""
    with _opened(file) as backend:
        yield backend


def set_apart(backend: Backend) -> None:
    """From here on what is made stands in memory beside the file, and goes when that is closed.

    Nothing of it is compressed or written; where memory is short, DuckDB moves it to disk.
    """
    ((file,),) = backend.con.execute("SELECT current_catalog()").fetchall()
    names = [name.replace('"', '""') for name in (f"{file} apart", file)]
    path = ",".join(f'"{name}".main' for name in names).replace("'", "''")
    backend.con.execute("SET checkpoint_threshold = '1TB'")  # it would compress what is soon gone
    backend.con.execute(f"ATTACH ':memory:' AS \"{names[0]}\"")
    backend.con.execute(f"SET search_path = '{path}'")


class Snapshots:
    """The published snapshots beside the warehouse."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told: tuple[tuple[int, int], Path] | None = None

    def current(self) -> Path | None:
        """The snapshot file that readers should open, or None before the first build."""
        pointer = self.folder / POINTER
        try:
            found = pointer.stat()
            written = found.st_ino, found.st_mtime_ns
            if self._told is None or self._told[0] != written:
                name = json.loads(pointer.read_text(encoding="utf-8"))["file"]
                self._told = written, self.folder / Path(name).name
            return self._told[1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(
                f"cannot read {pointer}",
                value=error.strerror,
                remedy="delete it and run `breakeven build`",
            ) from None
        except (ValueError, KeyError, TypeError):
            raise StorageError(
                f"{pointer} is damaged: it names no snapshot",
                remedy="`breakeven build` writes it anew",
            ) from None

    def standing(self, query: str) -> object:
        """What the current snapshot answers to `query`; None if there is none that can be read."""
        try:
            path = self.current()
            if path is None or not path.is_file():
                return None
            connection = _connect(path, read_only=True)
        except StorageError:
            return None
        try:
            return connection.execute(query).fetchall()
        except (duckdb.Error, ValueError):  # whatever is wrong with it, a new one replaces it
            return None
        finally:
            connection.close()

    def publish(self, backend: Backend, tables: Iterable[str]) -> Path:
        """Copies `tables` into a new snapshot file, then points readers at it."""
        with disk.writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            for stale in self.folder.glob(".*.draft*"):
                stale.unlink()
        number = max((int(file.stem) for file in self._files()), default=0) + 1
        target = self.folder / f"{number:06}.duckdb"
        draft = self.folder / f".{number:06}.draft"
        with _refusals(draft):
            _copy(backend, tables, draft)
        draft.replace(target)
        disk.replace(self.folder / POINTER, {"file": target.name})
        self._tidy(target)
        return target

    def _files(self) -> list[Path]:
        return sorted(file for file in self.folder.glob("*.duckdb") if file.stem.isdigit())

    def _tidy(self, current: Path) -> None:
        """An open page may still read an older snapshot: keep the newest and the recent."""
        now = datetime.now(UTC).timestamp()
        for file in self._files()[:-KEPT_SNAPSHOTS]:
            if file != current and now - file.stat().st_mtime > KEPT_SECONDS:
                file.unlink(missing_ok=True)


class Reader:
    """Read-only access to the current snapshot; follows the pointer. Safe between threads.

    A snapshot never changes, so what was asked of it a moment ago is not asked again. A query takes
    one core: others are for the other readers.
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
        """Which snapshot is read now; equal marks, equal answers. None before the first build."""
        path = self._snapshots.current()
        return _mark(path) if path else None

    def rows(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[dict[str, Any]]:
        """Rows of a query on the current snapshot, as dictionaries; parameters by place or name."""
        try:
            return self._rows(sql, parameters)
        except (duckdb.BinderException, duckdb.CatalogException):
            with self._cursor() as (_, cursor):
                _refuse_other_version(cursor)
            raise
        except duckdb.Error as error:
            if not (_damaged(error) or isinstance(error, duckdb.ConnectionException)):
                raise
            self.close()
        with _refusals(_pointed(self._snapshots), REBUILD):
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
                names = [column[0] for column in cursor.description or ()]
                known = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            self._remember(mark + question, known)
        return [row.copy() for row in known]

    def _remember(self, asked: str, answer: list[dict[str, Any]]) -> None:
        """Small answers, the newest ones."""
        if len(answer) > REMEMBERED_ROWS:
            return
        with self._guard:
            self._answers[asked] = answer
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)

    def close(self) -> None:
        """Lets go of the file, as soon as no query of another thread reads it."""
        with self._guard:
            self._connection = None
            self._idle.clear()
            self._answers.clear()

    def forget(self) -> None:
        """What was asked before is asked anew."""
        with self._guard:
            self._answers.clear()

    def _follow(self) -> str:
        """Opens what the pointer names, where it is another than before; its mark."""
        path = _pointed(self._snapshots)
        mark = _mark(path)
        with self._guard:
            if self._connection is None or mark != self._mark:
                self._connection, self._mark = _attached(path), mark
                self._idle.clear()
                self._answers.clear()
        return mark

    @contextmanager
    def _cursor(self) -> Iterator[tuple[str, duckdb.DuckDBPyConnection]]:
        """Reads the snapshot of that mark. Left whole, it serves another query."""
        self._follow()
        with self._guard:
            opened, mark = self._connection, self._mark
            if opened is None:
                raise duckdb.ConnectionException("closed meanwhile")
            cursor = self._idle.pop() if self._idle else _inside(opened)
        yield mark, cursor
        with self._guard:
            if opened is self._connection:
                self._idle.append(cursor)


class Relations:
    """Tables and views of one open connection, read in batches."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def batches(self, sql: str) -> pa.RecordBatchReader:
        """The rows of a query, a batch at a time."""
        return self._connection.sql(sql).to_arrow_reader(BATCH)

    def count(self, table: str, where: str) -> int:
        """How many rows a condition leaves."""
        ((rows,),) = self._connection.execute(f'SELECT count(*) FROM "{table}"{where}').fetchall()
        return int(rows)

    def months(self, table: str, month: str) -> list[str]:
        """The months a table holds, oldest first."""
        found = self._connection.execute(f'SELECT DISTINCT {month} FROM "{table}" ORDER BY 1')
        return [value for (value,) in found.fetchall() if value]


@contextmanager
def published(folder: Path) -> Iterator[Relations]:
    """The current snapshot, read-only. Raises `MissingDataError` before the first build."""
    path = _pointed(Snapshots(folder))
    connection = _connect(path, read_only=True)
    try:
        with _refusals(path, REBUILD):
            _refuse_other_version(connection)
            yield Relations(connection)
    finally:
        connection.close()


def _refuse_other_version(snapshot: duckdb.DuckDBPyConnection) -> None:
    """A snapshot that an older build published lacks what this one asks for."""
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


def _pointed(snapshots: Snapshots) -> Path:
    path = snapshots.current()
    if path is None:
        raise MissingDataError(
            "nothing is published yet", remedy="run `breakeven ingest`, then `breakeven build`"
        )
    return path


def _mark(path: Path) -> str:
    """Tells a snapshot from another that stands under its name once all were deleted."""
    with suppress(OSError):
        found = path.stat()
        return f"{path} {found.st_ino} {found.st_mtime_ns}"
    return str(path)


@contextmanager
def _opened(file: Path | None) -> Iterator[Backend]:
    connection = _connect(file)
    backend = ibis.duckdb.from_connection(connection)
    try:
        with _refusals(file or Path(":memory:")):
            yield backend
    finally:
        connection.close()


def _connect(file: Path | None, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    with _opening(file):
        connection = duckdb.connect(str(file) if file else ":memory:", read_only=read_only)
        connection.execute("SET TimeZone = 'UTC'")
        if not read_only:
            connection.execute("SET preserve_insertion_order = false")
        return connection


def _attached(file: Path) -> duckdb.DuckDBPyConnection:
    """To read `file` as `published`, on one core, whatever this process read under its name before.

    To a process that still reads the file before it, DuckDB would open that one again.
    """
    with _opening(file):
        connection = duckdb.connect(":memory:")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")
        connection.execute(f"ATTACH '{_quoted(file)}' AS published (READ_ONLY)")
        return connection


def _inside(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Another that names what is attached as its own."""
    cursor = connection.cursor()
    cursor.execute("USE published")
    return cursor


@contextmanager
def _opening(file: Path | None) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise StorageError(
            f"cannot open {file}",
            value=str(error).splitlines()[0],
            remedy=REBUILD,
        ) from None


def _copy(backend: Backend, tables: Iterable[str], target: Path) -> None:
    backend.con.execute(f"ATTACH '{_quoted(target)}' AS published")
    try:
        for table in tables:
            backend.con.execute(
                f'CREATE TABLE published."{table}" AS SELECT * FROM "{table}" ORDER BY ALL'
            )
    finally:
        backend.con.execute("DETACH published")


@contextmanager
def _refusals(file: Path, remedy: str = "check the file and run again") -> Iterator[None]:
    """DuckDB's own words for a full disk or a damaged file, as one line."""
    try:
        yield
    except duckdb.Error as error:
        if not (_damaged(error) or isinstance(error, duckdb.InvalidInputException)):
            raise
        said = str(error).rpartition(CAUSE)[2].splitlines()[0]
        full = "No space left" in said or "ENOSPC" in said
        remedy = "free some space and run again" if full else remedy
        raise StorageError(f"DuckDB could not work on {file}", value=said, remedy=remedy) from None


def _damaged(error: duckdb.Error) -> bool:
    """A file that cannot be read; a block whose checksum is wrong raises the bare class."""
    return type(error) is duckdb.Error or isinstance(error, duckdb.OperationalError)


def _holder(file: Path) -> str:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return f"process {found['pid']}, `breakeven {found['verb']}` since {found['since']}"
    except (OSError, ValueError, KeyError):
        return "unknown process"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")

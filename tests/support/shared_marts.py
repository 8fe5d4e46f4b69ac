"""Computed marts that test processes share, with each other and with the next run.

DuckDB plans some ninety queries for a world of a few lines, and hundreds of worlds have most rows
in common. So what a query made of its tables is stored under a key of both: the SQL and every row
that it reads, in order. A mart that changed is computed again, and what lies behind it where its
rows changed, too; nothing is assumed of code. Python steps and all that comes before the marts run
as ever, and so does every mart for whoever asks for `computed_anew`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import local
from typing import Any, NamedTuple
from uuid import uuid4

import duckdb
import pytest
from filelock import FileLock
from ibis.backends.duckdb import Backend

from models.engine import mart_runner
from models.engine.context import BuildContext
from models.engine.inputs import feed_history
from models.engine.mart_runner import VIEWS, Task
from models.engine.needed_rows import ONLY_WITH
from models.engine.warehouse import connection
from models.engine.warehouse.connection import quoted_path

MOST_BYTES, MOST_SECONDS = 400_000_000, 14 * 24 * 3600
"""Files that were not used for so long go, and the oldest where all together are larger."""
BLOCK = 16_384
"""Bytes: tables of a few rows are many to a block."""
RUNNER = (Path(mart_runner.__file__), *sorted(Path(connection.__file__).parent.glob("*.py")))
"""Code that says how a query is run, not what it asks."""
ANEW: dict[str, Any] = {
    "make_marts": mart_runner.make_marts,
    "_tasks": mart_runner._tasks,
}
"""The runner's functions as they are in the product."""
ATTACHED = "SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'stored_%'"
DIGEST = "SELECT md5(list(hash(t))::VARCHAR) FROM {} AS t"
"""Of a table's rows in their order, so that a mart that depends on it is computed again."""


class Stored(NamedTuple):
    """Where the rows of a query are stored, and their digest."""

    file: Path
    table: str
    digest: str


class Store:
    """Files of tables, each with an index by key beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Stored] = {}
        self._read: set[str] = set()
        self._used: set[Path] = set()

    def look(self) -> None:
        """Reads the indexes that other processes have written since."""
        for index in self._folder.glob("*.json"):
            if index.name not in self._read:
                self._read.add(index.name)
                with suppress(OSError, ValueError):
                    tables = json.loads(index.read_text("utf-8")).items()
                    file = index.with_suffix(".duckdb")
                    for key, (table, digest) in tables:
                        self._known.setdefault(key, Stored(file, table, digest))

    def take(self, backend: Backend, key: str, name: str) -> str | None:
        """Makes the table `name` from what is stored; its digest, or None if nothing usable is."""
        if not (stored := self._known.get(key)):
            return None
        try:
            alias = f"stored_{stored.file.stem}"
            backend.con.execute(
                f"ATTACH IF NOT EXISTS '{quoted_path(stored.file)}' AS {alias} (READ_ONLY)"
            )
            backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM {alias}.{stored.table}')
        except duckdb.Error:  # it was damaged, or swept meanwhile
            self._forget(stored.file)
            return None
        if stored.file not in self._used:
            self._used.add(stored.file)
            with suppress(OSError):
                os.utime(stored.file.with_suffix(".json"))
        return stored.digest

    def leave(self, backend: Backend) -> None:
        """Lets go of the files: whoever lists the tables of a connection sees its own only."""
        for (name,) in backend.con.execute(ATTACHED).fetchall():
            backend.con.execute(f"DETACH {name}")

    def add(self, backend: Backend, made: Mapping[str, tuple[str, str]]) -> None:
        """Stores tables, by key their name and digest, for whoever looks next."""
        mark = uuid4().hex
        draft, file = self._folder / f".{mark}", self._folder / f"{mark}.duckdb"
        con = backend.con
        con.execute(f"ATTACH '{quoted_path(draft)}' AS draft_{mark} (BLOCK_SIZE {BLOCK})")
        con.begin()
        index = {}
        for number, (key, (name, digest)) in enumerate(made.items()):
            con.execute(f'CREATE TABLE draft_{mark}.t{number} AS FROM "{name}"')
            index[key] = (f"t{number}", digest)
        con.commit()
        con.execute(f"DETACH draft_{mark}")
        draft.replace(file)
        draft.with_suffix(".json").write_text(json.dumps(index), "utf-8")
        draft.with_suffix(".json").replace(file.with_suffix(".json"))

    def sweep(self) -> None:
        """Deletes what was not used for long or is too much, and what an end left unfinished."""
        indexes = {index: index.stat() for index in self._folder.glob("*.json")}
        left, oldest = MOST_BYTES, time.time() - MOST_SECONDS
        for index in sorted(indexes, key=lambda index: -indexes[index].st_mtime):
            file = index.with_suffix(".duckdb")
            left -= file.stat().st_size if file.exists() else 0
            if left < 0 or indexes[index].st_mtime < oldest:
                self._forget(file)
        for file in self._folder.glob(".*"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

    def _forget(self, file: Path) -> None:
        file.with_suffix(".json").unlink(missing_ok=True)
        file.unlink(missing_ok=True)
        self._known = {key: found for key, found in self._known.items() if found.file != file}


@dataclass
class Derivation:
    """The marts of one build: taken from the store, or computed and stored at the end."""

    store: Store
    digests: dict[str, str] = field(default_factory=dict)
    """Of tables that were taken or computed here."""
    computed: dict[str, tuple[str, str]] = field(default_factory=dict)

    def make(self, backend: Backend, name: str, task: Task, text: str) -> None:
        """Makes one mart, as its task would."""
        key = self._key(backend, text, task.reads)
        if name in VIEWS:
            task.run(backend)
            self.digests[name] = key
        elif digest := self.store.take(backend, key, name):
            self.digests[name] = digest
        else:
            task.run(backend)
            self.computed[key] = name, self._digest(backend, name)

    def _key(self, backend: Backend, text: str, reads: frozenset[str]) -> str:
        tables = sorted(reads - {"settings"})
        rows = [(name, self._digest(backend, name)) for name in tables]
        return sha256(f"{_how()} {text} {rows}".encode()).hexdigest()

    def _digest(self, backend: Backend, name: str) -> str:
        if name not in self.digests:
            ((digest,),) = backend.con.execute(DIGEST.format(f'"{name}"')).fetchall()
            self.digests[name] = str(digest)
        return self.digests[name]


_HOW: list[str] = []


def _how() -> str:
    if not _HOW:
        code = b"".join(file.read_bytes() for file in RUNNER)
        _HOW.append(f"{duckdb.__version__} {sha256(code).hexdigest()}")
    return _HOW[0]


@contextmanager
def shared_marts(folder: Path) -> Iterator[None]:
    """Builds take marts from the folder, and add to it what they computed."""
    store, now = Store(folder), local()
    make_marts, tasks = ANEW.values()

    def made(context: BuildContext, *given: Any, **named: Any) -> None:  # noqa: ANN401
        now.derivation = derivation = Derivation(store)
        store.look()
        make_marts(context, *given, **named)
        store.leave(context.backend)
        if derivation.computed:
            store.add(context.backend, derivation.computed)

    def shared(context: BuildContext) -> Mapping[str, Task]:
        return _shared(tasks(context), now.derivation)

    with FileLock(folder / "lock"):
        store.sweep()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mart_runner, "make_marts", made)
        patched.setattr(mart_runner, "_tasks", shared)
        yield


@contextmanager
def computed_anew() -> Iterator[None]:
    """Inside, builds compute every mart, and share none."""
    with pytest.MonkeyPatch.context() as patched:
        for name, function in ANEW.items():
            patched.setattr(mart_runner, name, function)
        yield


def _shared(tasks: Mapping[str, Task], derivation: Derivation) -> Mapping[str, Task]:
    """Marts are shared, but for those without rows to read, and those that say when bills came."""
    timed, shared = {*feed_history.TABLES}, dict(tasks)
    for name, task in tasks.items():
        if task.reads & timed:
            timed.add(name)
        elif isinstance(task.run, partial) and "compiled" in task.run.keywords:
            text = task.run.keywords["compiled"].text
            make = partial(derivation.make, name=name, task=task, text=text)
            shared[name] = task if name in ONLY_WITH else task._replace(run=make)
    return shared

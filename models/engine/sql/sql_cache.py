"""Caches the SQL text of Ibis expressions between builds.

Compiling takes Ibis seconds and gives the same text every time. Texts are therefore remembered in
this process, and for the next one in a file beside the warehouse. The key of a text holds
everything that can change it: our code, Ibis, sqlglot, the caller's description of the expression,
and the values of those settings that were read while it was compiled.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from pydantic import BaseModel

from models.raw import atomic_files

FILE = "compiled.json"
MOST = 2000
"""Texts that one process remembers."""
MODELS = Path(__file__).parents[2]
"""All code that expressions are made of."""
Model = TypeVar("Model", bound=BaseModel)


class CompiledSql(NamedTuple):
    """The compiled SQL text of an Ibis expression, with the names and types of its columns."""

    text: str
    columns: Mapping[str, str]


class RecordedSettings:
    """Wraps the settings and records which values are read, as paths (`cost.basis`)."""

    def __init__(self, model: BaseModel, read: set[str], prefix: str = "") -> None:
        self._model, self._read, self._prefix = model, read, prefix

    def __getattr__(self, name: str) -> object:
        value = getattr(self._model, name)
        if isinstance(value, BaseModel):
            return RecordedSettings(value, self._read, f"{self._prefix}{name}.")
        if callable(value):
            raise AssertionError(f"an expression reads values, and {name} is a method")
        self._read.add(f"{self._prefix}{name}")
        return value


class SqlCache:
    """A cache of compiled SQL on disk; `save` writes the texts that were used."""

    _process: dict[str, CompiledSql] = {}  # noqa: RUF012 - one for the process, on purpose

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._stored = _read(self._file)
        self._used: dict[str, CompiledSql] = {}

    def get(self, about: tuple[object, ...], compile_: Callable[[], CompiledSql]) -> CompiledSql:
        """Returns an Ibis expression's SQL and columns from the cache, or compiles it.

        `about` describes the expression. It must name everything that can change the text, except
        our own code.
        """
        key = _key(about)
        found = self._find(key)
        if not found:
            with without_garbage_collection():
                found = compile_()
        return self._remember(key, found)

    def get_for_settings(
        self,
        about: tuple[object, ...],
        settings: Model,
        compile_: Callable[[Model], CompiledSql],
    ) -> CompiledSql:
        """Returns an expression's SQL and columns; compiles it if new or settings it reads changed.

        The settings it reads are noted while it is compiled, and remembered with the text.
        """
        stem = _key(about)
        paths = self._find(stem)
        if paths and (found := self._find(_key((stem, _values(settings, paths.columns))))):
            self._remember(stem, paths)
            return self._remember(_key((stem, _values(settings, paths.columns))), found)
        read = set(paths.columns if paths else ())
        with without_garbage_collection():
            made = compile_(cast(Model, RecordedSettings(settings, read)))
        self._remember(stem, CompiledSql("", dict.fromkeys(sorted(read), "")))
        return self._remember(_key((stem, _values(settings, sorted(read)))), made)

    def knows(self, about: tuple[object, ...]) -> bool:
        """Whether the cache has the SQL of an expression, for whatever settings."""
        return self._find(_key(about)) is not None

    def read_again(self) -> None:
        """Reads again the cache's file: the SQL texts that another process saved meanwhile."""
        self._stored = _read(self._file)

    def save(self) -> None:
        """Replaces the cache's file by the texts used since the last save, unless it has all."""
        if any(self._stored.get(key) != compiled for key, compiled in self._used.items()):
            self._stored = self._used
            listed = {key: _listed(compiled) for key, compiled in self._stored.items()}
            atomic_files.replace_json(self._file, listed, indent=None)
        self._used = {}

    def _find(self, key: str) -> CompiledSql | None:
        return self._process.get(key) or self._stored.get(key)

    def _remember(self, key: str, compiled: CompiledSql) -> CompiledSql:
        if len(self._process) >= MOST:
            self._process.clear()
        self._process[key] = self._used[key] = compiled
        return compiled


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Suspends Python's garbage collection within a block, which halves compile time.

    An expression is made of many small objects, and compiles in half the time without it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _key(about: tuple[object, ...]) -> str:
    return sha256(f"{code()} {about!r}".encode()).hexdigest()


def _values(settings: BaseModel, paths: Iterable[str]) -> dict[str, object]:
    return {path: attrgetter(path)(settings) for path in paths}


def _listed(compiled: CompiledSql) -> list[object]:
    """Converts compiled SQL to a list for JSON, which keeps the order of its columns.

    An object would lose that order, because we write JSON objects sorted by key.
    """
    return [compiled.text, list(compiled.columns.items())]


def _read(file: Path) -> dict[str, CompiledSql]:
    """Reads the compiled SQL from the cache's file, by key; {} if it is absent or unreadable."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        stored = json.loads(file.read_text(encoding="utf-8")).items()
        return {key: CompiledSql(str(text), dict(columns)) for key, (text, columns) in stored}
    return {}


@cache
def code() -> str:
    """Returns a digest of all code under `models` and of the versions of Ibis and sqlglot."""
    digest = sha256(f"{version('ibis-framework')} {version('sqlglot')}".encode())
    for source in sorted(MODELS.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()

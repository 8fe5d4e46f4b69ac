"""The SQL text of expressions, remembered from build to build.

Compiling takes Ibis seconds and gives the same text every time, so texts are remembered: in this
process, and for the next one in a file beside the warehouse. The key of a text holds all that can
change it: our code, Ibis, sqlglot, what the caller says the expression is about, and those values
of the settings that were read while it was compiled.
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
    """The SQL text of an expression, and the names and types of its columns."""

    text: str
    columns: Mapping[str, str]


class RecordedSettings:
    """Settings that note which of their values were read, as dotted paths such as `cost.basis`."""

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
    """The compiled texts of one installation; `save` keeps those used since the last save."""

    _process: dict[str, CompiledSql] = {}  # noqa: RUF012 - one for the process, on purpose

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._stored = _read(self._file)
        self._used: dict[str, CompiledSql] = {}

    def get(self, about: tuple[object, ...], compile_: Callable[[], CompiledSql]) -> CompiledSql:
        """The text of the expression that `about` describes; compiled where it is not remembered.

        `about` must name everything that can change the text, but for our own code.
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
        """The same for an expression of settings: compiled again only for other values it reads.

        Which values those are is noted while it is compiled, and remembered as well.
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

    def save(self) -> None:
        """Writes the texts that were used to the file, if it lacks one of them."""
        if any(self._stored.get(key) != compiled for key, compiled in self._used.items()):
            self._stored = self._used
            listed = {key: _listed(compiled) for key, compiled in self._stored.items()}
            atomic_files.replace_json(self._file, listed)
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
    """Suspends the search for reference cycles meanwhile.

    An expression is made of many small objects: it compiles in half the time.
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
    """As a list, for a JSON object of ours is sorted by its keys and columns have an order."""
    return [compiled.text, list(compiled.columns.items())]


def _read(file: Path) -> dict[str, CompiledSql]:
    """What the file holds; nothing where it cannot be read, so it is written anew."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        stored = json.loads(file.read_text(encoding="utf-8")).items()
        return {key: CompiledSql(str(text), dict(columns)) for key, (text, columns) in stored}
    return {}


@cache
def code() -> str:
    """A digest of our code under `models`, and of what compiles it."""
    digest = sha256(f"{version('ibis-framework')} {version('sqlglot')}".encode())
    for source in sorted(MODELS.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()

"""Expressions that were compiled before.

Compiling takes Ibis seconds and gives the same text every time, so texts are remembered: in this
process, and for the next one in a file beside the warehouse. Each stands under a mark of all that
can change it: our code, Ibis, sqlglot, what the caller says the expression is about, and of the
settings just those values that it read while it was made.
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
Model = TypeVar("Model", bound=BaseModel)


class Said(NamedTuple):
    """The SQL of an expression, and the names and types of its columns."""

    text: str
    columns: Mapping[str, str]


class Reader:
    """Settings that write down which of their values were read, as dotted paths."""

    def __init__(self, model: BaseModel, read: set[str], prefix: str = "") -> None:
        self._model, self._read, self._prefix = model, read, prefix

    def __getattr__(self, name: str) -> object:
        value = getattr(self._model, name)
        if isinstance(value, BaseModel):
            return Reader(value, self._read, f"{self._prefix}{name}.")
        if callable(value):
            raise AssertionError(f"an expression reads values, and {name} is a method")
        self._read.add(f"{self._prefix}{name}")
        return value


class Compiled:
    """The texts of one installation; `save` keeps those that were asked for since the last save."""

    _process: dict[str, Said] = {}  # noqa: RUF012 - one for the process, on purpose

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._kept = _read(self._file)
        self._asked: dict[str, Said] = {}

    def said(self, about: tuple[object, ...], compile_: Callable[[], Said]) -> Said:
        """The text of what is `about` that: remembered, else compiled."""
        mark = _mark(about)
        found = self._known(mark)
        if not found:
            with unswept():
                found = compile_()
        return self._remember(mark, found)

    def said_of(
        self, about: tuple[object, ...], settings: Model, compile_: Callable[[Model], Said]
    ) -> Said:
        """As `said`, of settings: another text only where a value differs that was ever read."""
        stem = _mark(about)
        paths = self._known(stem)
        if paths and (found := self._known(_mark((stem, _values(settings, paths.columns))))):
            self._remember(stem, paths)
            return self._remember(_mark((stem, _values(settings, paths.columns))), found)
        read = set(paths.columns if paths else ())
        with unswept():
            made = compile_(cast(Model, Reader(settings, read)))
        self._remember(stem, Said("", dict.fromkeys(sorted(read), "")))
        return self._remember(_mark((stem, _values(settings, sorted(read)))), made)

    def save(self) -> None:
        """Writes the file anew if it lacks one of the texts."""
        if any(self._kept.get(mark) != said for mark, said in self._asked.items()):
            self._kept = self._asked
            atomic_files.replace_json(
                self._file, {mark: _listed(said) for mark, said in self._kept.items()}
            )
        self._asked = {}

    def _known(self, mark: str) -> Said | None:
        return self._process.get(mark) or self._kept.get(mark)

    def _remember(self, mark: str, found: Said) -> Said:
        if len(self._process) >= MOST:
            self._process.clear()
        self._process[mark] = self._asked[mark] = found
        return found


@contextmanager
def unswept() -> Iterator[None]:
    """No search for cycles meanwhile: an expression is all small objects, and halves in time."""
    swept = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if swept:
            gc.enable()


def _mark(about: tuple[object, ...]) -> str:
    return sha256(f"{code()} {about!r}".encode()).hexdigest()


def _values(settings: BaseModel, paths: Iterable[str]) -> dict[str, object]:
    return {path: attrgetter(path)(settings) for path in paths}


def _listed(said: Said) -> list[object]:
    """As a list, for a JSON object of ours is sorted by its keys and columns have an order."""
    return [said.text, list(said.columns.items())]


def _read(file: Path) -> dict[str, Said]:
    """What the file holds; one that cannot be read holds nothing, and is written anew."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {mark: Said(str(text), dict(columns)) for mark, (text, columns) in kept.items()}
    return {}


@cache
def code() -> str:
    """The same as long as our code is, and what compiles it."""
    digest = sha256(f"{version('ibis-framework')} {version('sqlglot')}".encode())
    for source in sorted(Path(__file__).parents[2].rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()

"""Expressions that were compiled before.

Compiling takes Ibis seconds and gives the same text every time, so texts are remembered: in this
process, and for the next one in a file beside the warehouse. Each stands under a mark of all that
can change it: our code, Ibis, sqlglot, and what the caller says the expression is about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from models import disk

FILE = "compiled.json"
MOST = 2000


class Said(NamedTuple):
    """The SQL of an expression, and the names and types of its columns."""

    text: str
    columns: Mapping[str, str]


class Compiled:
    """The texts of one installation; `save` keeps those that were asked for since the last save."""

    _process: dict[str, Said] = {}  # noqa: RUF012 - one for the process, on purpose

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._kept = _read(self._file)
        self._asked: dict[str, Said] = {}

    def said(self, about: tuple[object, ...], compile_: Callable[[], Said]) -> Said:
        """The text of what is `about` that: remembered, else compiled."""
        mark = sha256(f"{_code()} {about!r}".encode()).hexdigest()
        found = self._process.get(mark) or self._kept.get(mark) or compile_()
        if len(self._process) >= MOST:
            self._process.clear()
        self._process[mark] = self._asked[mark] = found
        return found

    def save(self) -> None:
        """Writes the file anew if it lacks one of the texts."""
        if self._asked.keys() - self._kept.keys():
            self._kept = self._asked
            disk.replace(self._file, {mark: _listed(said) for mark, said in self._kept.items()})
        self._asked = {}


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
def _code() -> str:
    digest = sha256(f"{version('ibis-framework')} {version('sqlglot')}".encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()

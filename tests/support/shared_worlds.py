"""Folders of worlds that test processes share, with each other and with the next run.

Many tests begin with the same bill, or with one that the last run had too, and a pull and a build
take a good part of a second for the fewest lines. So what a step made of a folder is kept, under a
key of all that it was made from: our code, the config, today, and every file in the folder. Times
stand in what was made (when a delivery came, until when it is fresh), so it is used while it is
young, as a world that a fixture made earlier in a run is. `computed_anew` makes each anew.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import duckdb
import pyarrow as pa

from ingest import sources
from ingest.files.location import FileOptions
from models.config.settings import Settings

YOUNG = 40 * 60
"""Seconds. A feed is fresh for an hour after it was due, so what was fresh still is."""
MOST_BYTES = 20_000_000
"""Of a folder: larger ones are few, and take as long to read as to make."""
ROOT = Path(__file__).parents[2]
CODE = ("ingest", "models", "tests/support", "data/prices.csv")
KINDS = {source.kind for source in sources.SOURCES if source.accepts is FileOptions}
"""Sources that read files and nothing else."""


class File(NamedTuple):
    """A file as it was written; `written` in nanoseconds."""

    mode: int
    written: int
    content: bytes


@dataclass(frozen=True)
class Kept:
    """What a step made: every file of the data, and what it returned."""

    files: dict[str, File]
    result: Any


_STORES: list[Path] = []
"""The folder of what is kept, while tests share it."""


@contextmanager
def shared_worlds(folder: Path) -> Iterator[None]:
    """Steps take from the folder what they once made, and add to it."""
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # another process may sweep it as well
            if _age(file) > YOUNG:
                file.unlink()
    _STORES.append(folder)
    try:
        yield
    finally:
        _STORES.clear()


@contextmanager
def computed_anew() -> Iterator[None]:
    """Inside, every step is done."""
    stores, _STORES[:] = [*_STORES], []
    try:
        yield
    finally:
        _STORES[:] = stores


@dataclass(frozen=True)
class Step:
    """A step from a folder as it is to the folder with what the step made; `key` names both."""

    settings: Settings
    key: str | None

    def take(self) -> Kept | None:
        """Puts the data where it belongs; None where nothing young is kept."""
        if not self.key:
            return None
        file = _STORES[0] / self.key
        with suppress(OSError):
            if _age(file) < YOUNG:
                kept: Kept = pickle.loads(pa.decompress(*_parts(file), asbytes=True))
                _restore(self.settings, kept)
                return kept
        return None

    def add(self, result: object = None) -> None:
        """Keeps the data, and what the step returned, for whoever takes the step next."""
        if not self.key:
            return
        files = dict(_files(self.settings))
        packed = pickle.dumps(Kept(files, result))
        draft = _STORES[0] / f".{uuid4().hex}"
        draft.write_bytes(
            len(packed).to_bytes(8, "big") + pa.compress(packed, "zstd", asbytes=True)
        )
        draft.replace(_STORES[0] / self.key)
        oldest = min(file.written for file in files.values())
        with suppress(FileNotFoundError):
            os.utime(_STORES[0] / self.key, ns=(oldest, oldest))  # as old as its first file


def step(name: str, settings: Settings, *, reads_sources: bool = False) -> Step:
    """The step `name`, to be taken from what is kept if nothing but the folder can change it."""
    alone = not reads_sources or _reads_inside(settings)
    return Step(settings, _key(name, settings) if _STORES and alone else None)


def _parts(file: Path) -> tuple[bytes, int, str]:
    stored = file.read_bytes()
    return stored[8:], int.from_bytes(stored[:8], "big"), "zstd"


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime


def _reads_inside(settings: Settings) -> bool:
    """Whether every source reads files of the folder."""
    return all(
        entry["kind"] in KINDS and _is_inside(settings, settings.home / entry["location"])
        for entry in settings.model_dump(mode="json")["sources"]
    )


def _is_inside(settings: Settings, path: Path) -> bool:
    return "://" not in str(path) and path.resolve().is_relative_to(settings.home.resolve())


def _key(name: str, settings: Settings) -> str | None:
    found, left = set(), MOST_BYTES
    for path in chain(_below(settings.home), _below(settings.data)):
        found.add(path)
        left -= path.stat().st_size
        if left < 0:
            return None
    told = _anywhere(settings, settings.model_dump_json().encode())
    digest = sha256(f"{_code()} {name} {settings.today}".encode() + told)
    for path in sorted(found):
        content = sha256(_read(settings, path)).hexdigest()
        digest.update(_anywhere(settings, os.fsencode(path)) + f" {content} ".encode())
    return digest.hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _files(settings: Settings) -> Iterator[tuple[str, File]]:
    for path in _below(settings.data):
        found = path.stat()
        name = str(path.relative_to(settings.data))
        yield name, File(found.st_mode, found.st_mtime_ns, _read(settings, path))


def _restore(settings: Settings, kept: Kept) -> None:
    data = settings.data
    for gone in [*_below(data)]:
        if str(gone.relative_to(data)) not in kept.files:
            gone.unlink()
    for name, file in kept.files.items():
        path = data / name
        content = _here(settings, file.content) if _is_text(path) else file.content
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        path.chmod(file.mode)
        os.utime(path, ns=(file.written, file.written))


def _read(settings: Settings, path: Path) -> bytes:
    content = path.read_bytes()
    return _anywhere(settings, content) if _is_text(path) else content


def _is_text(path: Path) -> bool:
    return path.suffix in (".json", ".jsonl")


def _anywhere(settings: Settings, content: bytes) -> bytes:
    """A text without the folders of this world."""
    for mark, folder in _folders(settings):
        content = content.replace(folder, mark)
    return content


def _here(settings: Settings, content: bytes) -> bytes:
    """The same with the folders of another world."""
    for mark, folder in _folders(settings):
        content = content.replace(mark, folder)
    return content


def _folders(settings: Settings) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"\0data\0", os.fsencode(settings.data)), (b"\0home\0", os.fsencode(settings.home)))


@cache
def _code() -> str:
    digest = sha256(duckdb.__version__.encode())
    for place in CODE:
        folder = ROOT / place
        for file in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if file.is_file() and file.suffix != ".pyc":
                digest.update(file.read_bytes())
    return digest.hexdigest()

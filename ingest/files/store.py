"""Where files are read from: a folder, one file, a glob, or an S3 prefix, all in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count, takewhile
from pathlib import Path
from threading import Event
from typing import Protocol

from models.config.settings import Settings
from models.contract.errors import InputError
from models.intake import admission
from models.raw import disk
from models.raw.zone import Delivery, File, Staging

Reader = Callable[..., None]
READERS: dict[str, Reader | None] = {
    ".parquet": None,
    ".csv": admission.from_csv,
    ".csv.gz": admission.from_csv,
    ".jsonl": admission.from_jsonl,
    ".ndjson": admission.from_jsonl,
    ".jsonl.gz": admission.from_jsonl,
}
"""What can be read, by the end of its name; Parquet is kept as it is."""
CHUNK = 1 << 18
"""Bytes of one reading; a buffer four times as large is new memory each time, at half the speed."""
AT_ONCE = 4
"""Files on their way at a time: S3 gives each connection a part of what a machine can take."""
TABLES = (".parquet", ".csv", ".csv.gz")
UNREADABLE = (".zip", ".xlsx", ".xls", ".tsv")
"""Data in a form that is not read: refused by name, so that nobody thinks it was."""


@dataclass(frozen=True)
class Item:
    """One file of a store. `path` is relative to the location, `uri` is for people."""

    path: str
    uri: str
    size: int
    modified: datetime
    etag: str = ""

    @property
    def suffix(self) -> str:
        """The longest known end of its name, in lower case; empty when there is none."""
        name = self.path.lower()
        return max((end for end in READERS if name.endswith(end)), key=len, default="")


class Store(Protocol):
    """Files under one location."""

    @property
    def location(self) -> str:
        """The location, as people write it."""

    def items(self) -> list[Item]:
        """Every file, in order of path. Raises `InputError` or `SourceError`."""

    def mark(self, item: Item) -> str:
        """What changes when the file's bytes change."""

    def read(self, item: Item) -> bytes:
        """The bytes of a small document."""

    def save(self, item: Item, target: Path, stop: Event) -> str:
        """Copies the file's bytes to `target`; their SHA-256. Breaks off when `stop` is set."""


@dataclass(frozen=True)
class Folder:
    """A folder, one file, or a glob on this machine. Its mark is the SHA-256."""

    root: Path

    @property
    def location(self) -> str:
        """The path."""
        return str(self.root)

    def items(self) -> list[Item]:
        """Files below the folder, without hidden ones; or the file; or what the glob matches."""
        base, found = self._found()
        return [
            Item(
                path.relative_to(base).as_posix(), str(path), stat.st_size, _instant(stat.st_mtime)
            )
            for path in sorted(found)
            if path.is_file() and not _hidden(path.relative_to(base))
            for stat in [path.stat()]
        ]

    def mark(self, item: Item) -> str:
        """SHA-256 of its bytes."""
        with _reading(item.uri):
            return disk.sha256(Path(item.uri))

    def read(self, item: Item) -> bytes:
        """Its bytes."""
        with _reading(item.uri):
            return Path(item.uri).read_bytes()

    def save(self, item: Item, target: Path, stop: Event) -> str:
        """A copy: the user's file may change at any time, a delivery never."""
        return written(_chunks(item.uri), target, stop)

    def _found(self) -> tuple[Path, Iterable[Path]]:
        if self.root.is_dir():
            return self.root, self.root.rglob("*")
        if self.root.exists():
            return self.root.parent, [self.root]
        fixed = next(path for path in self.root.parents if not _pattern(str(path)))
        if _pattern(str(self.root)) and fixed.is_dir():
            return fixed, fixed.glob(str(self.root.relative_to(fixed)))
        return self.root.parent, []


def bring(store: Store, item: Item, staging: Staging) -> None:
    """Puts one file into a delivery, as Parquet; an unchanged one is linked, not fetched."""
    bring_all(store, [item], staging)


def bring_all(
    store: Store, items: Iterable[Item], staging: Staging, *, once: bool = False
) -> list[tuple[str, str]]:
    """As `bring`; the next are on their way while one is converted, made durable, checked.

    With `once` a file that holds the same as one before it is left out; such pairs are returned.
    """
    marked = [(item, store.mark(item)) for item in items]
    known = [staging.known(item.uri, mark) for item, mark in marked]
    first: dict[str, str] = {}
    twins = []
    with _fetching(store, staging.folder) as fetch:
        drafts = [
            None if old else fetch(item) for (item, _), old in zip(marked, known, strict=True)
        ]
        for (item, mark), old, draft in zip(marked, known, drafts, strict=True):
            digest = _converted(staging, item, *draft.result()) if draft else _digest(old)
            if once and digest in first:
                staging.next_path.unlink(missing_ok=True)
                twins.append((first[digest], item.uri))
                continue
            first[digest] = item.uri
            if draft:
                path = staging.next_path
                staging.arrived(staging.add(path, origin=item.uri, etag=mark, sha256=digest))
            elif old:
                staging.reuse(*old)
    return twins


def _digest(old: tuple[Delivery, File] | None) -> str:
    return old[1].sha256 if old else ""


@contextmanager
def _fetching(store: Store, folder: Path) -> Iterator[Callable[[Item], Future[tuple[Path, str]]]]:
    """What fetches files in their order, beside other work; left early, it stops at once."""
    stop, numbers = Event(), count()

    def fetched(item: Item) -> tuple[Path, str]:
        draft = folder / f"fetched-{next(numbers):05}{item.suffix}"
        return draft, store.save(item, draft, stop)

    with ThreadPoolExecutor(AT_ONCE) as beside:
        try:
            yield lambda item: beside.submit(fetched, item)
        finally:
            stop.set()
            beside.shutdown(wait=False, cancel_futures=True)


def _converted(staging: Staging, item: Item, draft: Path, digest: str) -> str:
    """Makes `next_path` of what was fetched; the SHA-256 of that."""
    target = staging.next_path
    reader = READERS[item.suffix]
    if reader is None:
        draft.replace(target)
        return digest
    reader(draft, target, origin=item.uri)
    draft.unlink()
    return disk.sha256(target)


def written(chunks: Iterable[bytes], target: Path, stop: Event) -> str:
    """Writes to `target`, until `stop` is set; the SHA-256 of what was written, in hexadecimal."""
    digest = sha256()
    with disk.writing(target), target.open("wb") as file:
        for chunk in takewhile(lambda _: not stop.is_set(), chunks):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def readable(
    items: Iterable[Item], suffixes: Iterable[str], *, all_of_them: bool = False
) -> list[Item]:
    """Those of `items` that can be read. Refuses data in a form that cannot."""
    chosen = list(items)
    for item in chosen:
        left_out = all_of_them and item.suffix not in suffixes
        if left_out or item.path.lower().endswith(UNREADABLE):
            raise InputError(
                "cannot read this kind of file",
                value=item.uri,
                remedy=f"deliver one of {', '.join(suffixes)}",
            )
    return [item for item in chosen if item.suffix in suffixes]


def described(store: Store) -> str:
    """The location, and that nothing is there at all where that is so."""
    pattern = _pattern(store.location)
    missing = isinstance(store, Folder) and not pattern and not store.root.exists()
    return f"{store.location}, which is not there" if missing else store.location


def unit(item: Item, settings: Settings) -> str:
    """The name of a file as a key: relative to the config file where it lies below it."""
    path = Path(item.uri)
    inside = "://" not in item.uri and path.is_relative_to(settings.home.resolve())
    return path.relative_to(settings.home.resolve()).as_posix() if inside else item.uri


def _chunks(uri: str) -> Iterator[bytes]:
    with _reading(uri), Path(uri).open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


@contextmanager
def _reading(uri: str) -> Iterator[None]:
    """Turns a refusal to read the user's file into one line."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot read {uri}", value=error.strerror, remedy="check the file, run again"
        ) from None


def _pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _hidden(path: Path) -> bool:
    """Half-written and bookkeeping files of other tools: `.x.crc`, `_SUCCESS`."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

"""Reads files on this machine: those of a folder, one file, or those that match a glob."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from ingest.files.copying import CHUNK, write_chunks
from ingest.files.store import FileEntry, Store, is_hidden
from models.contract.errors import InputError
from models.raw import atomic_files

LISTED = os.R_OK | os.X_OK
"""The access that listing a folder takes."""
LOST_AND_FOUND = "lost+found"
"""A folder that every file system of Linux has for its own, and that only root may list."""


@dataclass(frozen=True)
class Folder:
    """A store of files on this machine: a folder, one file, or a glob."""

    root: Path

    @property
    def location(self) -> str:
        """The path of the folder, file or glob."""
        return str(self.root)

    def entries(self) -> list[FileEntry]:
        """Lists the files below a folder, or one file, or those matching a glob; no hidden ones.

        `InputError` for a link out of the folder, and for a folder below it that this user may not
        read; a location that is a link itself is followed.
        """
        with _reading(self.location):  # a name may be too long for the file system
            base, matches = self._base_and_matches()
            _refuse_closed(self._looked_into(base))
        found = [
            path
            for path in matches
            if path == self.root or not is_hidden(path.relative_to(base).as_posix())
        ]
        _refuse_closed((path, LISTED) for path in found)
        self._refuse_links_out(base, found)
        return [
            FileEntry(
                path.relative_to(base).as_posix(), str(path), stat.st_size, _instant(stat.st_mtime)
            )
            for path in sorted(found)
            if path.is_file()
            for stat in [path.stat()]
        ]

    def fingerprint(self, entry: FileEntry) -> str:
        """Returns the SHA-256 of a local file's bytes."""
        with _reading(entry.uri):
            return atomic_files.sha256(Path(entry.uri))

    def read(self, entry: FileEntry) -> bytes:
        """Returns the bytes of a local file."""
        with _reading(entry.uri):
            return Path(entry.uri).read_bytes()

    def download(self, entry: FileEntry, target: Path, stop: Event) -> str:
        """Copies a local file to `target`, until `stop` is set, and returns the copy's SHA-256."""
        return write_chunks(_chunks(entry.uri), target, stop)

    def _refuse_links_out(self, base: Path, found: Iterable[Path]) -> None:
        """Raises `InputError` for a path that links to a place outside the folder."""
        inside = base.resolve()
        for path in found:
            if path != self.root and not path.resolve().is_relative_to(inside):
                raise InputError(
                    "a link leads out of the configured folder",
                    value=path,
                    remedy="put the file itself there, or remove the link",
                )

    def _looked_into(self, base: Path) -> Iterator[tuple[Path, int]]:
        """Yields (folder, access right) per folder in which files are looked for.

        Below a folder they are found on the way. One of which a pattern names the next part as it
        is need not be listed.
        """
        if self.root.is_dir():
            yield self.root, LISTED
            return
        parts = self.root.relative_to(base).parts
        for number, part in enumerate(parts):
            above = base.glob("/".join(parts[:number])) if number else [base]
            for each in above:
                if not number or not is_hidden(each.relative_to(base).as_posix()):
                    yield each, LISTED if _is_glob(part) else os.X_OK

    def _base_and_matches(self) -> tuple[Path, Iterable[Path]]:
        """Returns the base folder and an iterator of the paths below it or that match the glob.

        Of a folder's paths those of folders are among them, of a glob's not.
        """
        if self.root.is_dir():
            return self.root, self.root.rglob("*")
        if self.root.exists():
            return self.root.parent, [self.root]
        fixed = next(path for path in self.root.parents if not _is_glob(str(path)))
        if _is_glob(str(self.root)) and fixed.is_dir():
            matches = fixed.glob(str(self.root.relative_to(fixed)))
            return fixed, (path for path in matches if not path.is_dir())
        return self.root.parent, []


def describe_location(store: Store) -> str:
    """Describes a location in text for an error message; says if it is not there."""
    if not isinstance(store, Folder) or _is_glob(store.location) or store.root.exists():
        return store.location
    return f"{store.location}, which does not exist"


def _chunks(uri: str) -> Iterator[bytes]:
    with _reading(uri), Path(uri).open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _refuse_closed(found: Iterable[tuple[Path, int]]) -> None:
    """Raises `InputError` for a folder without the access it takes: its files would be missed."""
    for path, needed in found:
        if path.is_dir() and path.name != LOST_AND_FOUND and not os.access(path, needed):
            raise InputError(
                f"cannot read {path}",
                value=os.strerror(errno.EACCES),
                remedy="let this user read the folder, or move it away",
            )


@contextmanager
def _reading(uri: str) -> Iterator[None]:
    """Turns a failure to read a local file into an `InputError` of one line."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot read {uri}", value=error.strerror, remedy="check the file, run again"
        ) from None


def _is_glob(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

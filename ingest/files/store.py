"""Defines the interface of a store of files, and which kinds of files can be read.

`Folder` and `Bucket` implement `Store`; a source reads files through it without knowing which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Protocol

from models.config.settings import Settings
from models.contract.errors import InputError
from models.intake import text_to_parquet

Converter = Callable[..., None]
CONVERTERS: dict[str, Converter | None] = {
    ".parquet": None,
    ".csv": text_to_parquet.csv_to_parquet,
    ".csv.gz": text_to_parquet.csv_to_parquet,
    ".jsonl": text_to_parquet.jsonl_to_parquet,
    ".ndjson": text_to_parquet.jsonl_to_parquet,
    ".jsonl.gz": text_to_parquet.jsonl_to_parquet,
}
"""File name suffix → the function that converts such a file to Parquet; Parquet needs none."""
TABLES = (".parquet", ".csv", ".csv.gz")
UNREADABLE = (".zip", ".xlsx", ".xls", ".tsv")
"""Kinds of data files that are refused with an error, so that nobody thinks they were read."""
PACKED = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".snappy")
"""Ends of compressed files: such a file of data is refused too, unless it can be read as it is."""


@dataclass(frozen=True)
class FileEntry:
    """One file of a folder or S3 prefix. `path` is relative to the location, `uri` is complete."""

    path: str
    uri: str
    size: int
    modified: datetime
    etag: str = ""

    @property
    def suffix(self) -> str:
        """The longest known suffix of the file's name, in lower case; empty when there is none."""
        name = self.path.lower()
        return max((end for end in CONVERTERS if name.endswith(end)), key=len, default="")


def is_hidden(path: str) -> bool:
    """Whether a part of a path begins with `.` or `_`, as of hidden files and `_SUCCESS`.

    `path` is relative to the location; what a location itself names is read, however it begins.
    """
    return any(part.startswith((".", "_")) for part in path.split("/"))


class Store(Protocol):
    """The interface of a place that holds files: a local folder or an S3 prefix."""

    @property
    def location(self) -> str:
        """Where the files of a store are: a local path or glob, or `s3://bucket/prefix`."""

    def entries(self) -> list[FileEntry]:
        """Lists the files of a store, in order of path; no hidden ones (`is_hidden`).

        Raises `InputError` or `SourceError`.
        """

    def fingerprint(self, entry: FileEntry) -> str:
        """Returns a text that changes when a file's bytes change."""

    def read(self, entry: FileEntry) -> bytes:
        """Returns the bytes of a small file, such as a manifest."""

    def download(self, entry: FileEntry, target: Path, stop: Event) -> str:
        """Copies a file to `target` until `stop` is set; returns the SHA-256 of what was copied."""


def select_readable(
    entries: Iterable[FileEntry], suffixes: Iterable[str], *, all_of_them: bool = False
) -> list[FileEntry]:
    """Returns the files with one of the suffixes; raises `InputError` for .zip, .csv.zst and such.

    These kinds are `UNREADABLE`, and what is compressed in a way that cannot be read. A name that
    is not UTF-8 raises `InputError` as well. Files with any other suffix are left out; with
    `all_of_them` they raise `InputError` too.
    """
    chosen, readable = list(entries), tuple(suffixes)
    data = tuple(end + how for end in (*readable, *UNREADABLE) for how in ("", *PACKED))
    for entry in chosen:
        is_data = all_of_them or entry.path.lower().endswith(data)
        if is_data and not entry.path.lower().endswith(readable):
            raise InputError(
                "cannot read this kind of file",
                value=entry.uri,
                remedy=f"deliver one of {', '.join(suffixes)}",
            )
    return with_utf8_names(entry for entry in chosen if entry.path.lower().endswith(readable))


def with_utf8_names(entries: Iterable[FileEntry]) -> list[FileEntry]:
    """Returns all the files; raises `InputError` if the name of one is not UTF-8.

    No delivery could be named after it. Python writes its bytes as lone surrogates.
    """
    found = list(entries)
    for entry in found:
        shown = entry.uri.encode("utf-8", "backslashreplace").decode("utf-8")
        if shown != entry.uri:
            raise InputError("the name of this file is not UTF-8", value=shown, remedy="rename it")
    return found


def file_key(entry: FileEntry, settings: Settings) -> str:
    """Returns a file's name in a delivery key: its path below the config's folder, else its URI."""
    path = Path(entry.uri)
    home = settings.home.resolve()
    inside = "://" not in entry.uri and path.is_relative_to(home)
    return path.relative_to(home).as_posix() if inside else entry.uri

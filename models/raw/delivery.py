"""Defines a delivery: its key, its Parquet files, and its control totals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from models.raw.delivery_key import Key

MONTH = re.compile(r"\d{4}-\d{2}")
Totals = Mapping[str, Mapping[str, str]]
"""`billing account|sub-account|month` → column → sum as decimal text."""


@dataclass(frozen=True)
class File:
    """One Parquet file of a delivery: its name, SHA-256, row count, bytes and origin.

    `origin` is where the file came from, `etag` the version that it had there when it was
    downloaded.
    """

    name: str
    sha256: str
    rows: int
    size: int
    origin: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Delivery:
    """One complete delivery of a source: its files, format, UTC time and control totals."""

    key: Key
    id: str
    format: str
    pulled_at: datetime
    files: tuple[File, ...]
    append: bool = False
    totals: Totals = field(default_factory=dict)
    request_ids: tuple[str, ...] = ()
    folder: Path = Path()

    @cached_property
    def fingerprint(self) -> str:
        """Returns a hash of a delivery's file contents, whatever the files' names."""
        return fingerprint(self.files)

    @property
    def paths(self) -> list[Path]:
        """Returns the paths of a delivery's Parquet files."""
        return [self.folder / file.name for file in self.files]

    @property
    def rows(self) -> int:
        """Returns the number of rows in all files of a delivery."""
        return sum(file.rows for file in self.files)

    def may_hold(self, months: Collection[str]) -> bool:
        """Whether a delivery is of one of the given months, or not of a single month."""
        return self.key.period in months or not MONTH.fullmatch(self.key.period)

    @property
    def present(self) -> bool:
        """Whether all files of a delivery still exist; those of replaced ones are deleted in time.

        Files of a superseded delivery are deleted after `raw.keep_days`.
        """
        return all(path.is_file() for path in self.paths)


def fingerprint(files: Iterable[File]) -> str:
    """Returns one SHA-256 over several files' hashes, in sorted order."""
    return sha256(",".join(sorted(file.sha256 for file in files)).encode()).hexdigest()

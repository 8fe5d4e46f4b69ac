"""Defines a delivery: its key, its Parquet files, and the totals it was accepted with."""

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
    """One delivered Parquet file.

    `origin` is where it came from, `etag` the version of that when it was fetched.
    """

    name: str
    sha256: str
    rows: int
    size: int
    origin: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Delivery:
    """One complete delivery; `pulled_at` is UTC."""

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
        """A hash of the content: the same for the same bytes, whatever the files are called."""
        return fingerprint(self.files)

    @property
    def paths(self) -> list[Path]:
        """The paths of this delivery's Parquet files."""
        return [self.folder / file.name for file in self.files]

    @property
    def rows(self) -> int:
        """The number of rows in all its files."""
        return sum(file.rows for file in self.files)

    def may_hold(self, months: Collection[str]) -> bool:
        """Whether it may hold lines of these billing months; a period that is no month may."""
        return self.key.period in months or not MONTH.fullmatch(self.key.period)

    @property
    def present(self) -> bool:
        """Whether its files are still there; after `raw.keep_days` only the marker is left."""
        return all(path.is_file() for path in self.paths)


def fingerprint(files: Iterable[File]) -> str:
    """Returns the SHA-256 over the files' own hashes, in order of hash."""
    return sha256(",".join(sorted(file.sha256 for file in files)).encode()).hexdigest()

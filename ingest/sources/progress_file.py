"""Progress that somebody writes down: CSV, JSON lines or Parquet; a file, a folder or a glob.

Key: the path and `all`. A file that vanished stays live: an epoch that was reached stays reached.
Cursor: none; a file is read again when its bytes changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ingest.files.s3 import Place, Purse, opened
from ingest.files.store import READERS, bring, described, readable, unit
from ingest.source import ALL, Group, Options, Parcel, Visit
from models.config.settings import Settings
from models.contract.errors import InputError


@dataclass(frozen=True)
class ProgressFile:
    """One file, or all readable files of a folder, a glob, or an S3 prefix."""

    kind: ClassVar[str] = "progress_file"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "progress"
    accepts: ClassVar[type[Options]] = Place
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: Place
    settings: Settings

    @property
    def location(self) -> str:
        """Where the files lie."""
        return opened(self.options, self.settings).location

    def fetch(self, visit: Visit) -> Iterable[Parcel]:
        """One parcel per file."""
        store = opened(self.options, self.settings, Purse(visit.ledger, self.name))
        items = readable(store.items(), READERS)
        if not items and not any(d.key.source == self.name for d in visit.zone.live(self.format)):
            raise InputError(
                f"{self.name}: no progress file found",
                value=described(store),
                remedy=f"deliver one of {', '.join(READERS)}, or correct `location`",
            )
        return [
            Parcel(unit(item, self.settings), ALL, partial(bring, store, item)) for item in items
        ]

"""Fetches price files: those shipped with the product, and the user's own, which add to them.

Key: `seed`, or the path, and `all`. A file's new content replaces its old one, so a price is
corrected, or withdrawn, in the file that has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ingest.files.copying import copy_file
from ingest.files.folder import describe_location
from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import BilledTo
from ingest.files.store import TABLES, FileEntry, file_key, select_readable
from ingest.source import ALL, Batch, FetchContext, Group, Options
from models.config.settings import Settings
from models.contract.errors import InputError
from models.contract.shipped_data import shipped

SEED_FILE = shipped("data/prices.csv")
SEED = "seed"


@dataclass(frozen=True)
class Prices:
    """The price file feed: CSV or Parquet files with prices at one location."""

    kind: ClassVar[str] = "prices"
    group: ClassVar[Group] = "prices"
    format: ClassVar[str] = "prices"
    accepts: ClassVar[type[Options]] = FileOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: FileOptions
    settings: Settings

    @property
    def location(self) -> str:
        """Where the price files are: an S3 prefix or a local path."""
        return open_store(self.options, self.settings).location

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Returns one delivery per price file. Raises `InputError` where there is none."""
        store = open_store(self.options, self.settings, BilledTo(context.ledger, self.name))
        entries = select_readable(store.entries(), TABLES)
        if not entries:
            raise InputError(
                f"{self.name}: no price file found",
                value=describe_location(store),
                remedy=f"deliver one of {', '.join(TABLES)}, or correct `location`",
            )
        return [
            Batch(self._unit(entry), ALL, partial(copy_file, store, entry)) for entry in entries
        ]

    def _unit(self, entry: FileEntry) -> str:
        return SEED if entry.uri == str(SEED_FILE) else file_key(entry, self.settings)

    @classmethod
    def seed(cls, settings: Settings) -> Prices:
        """Returns the source of the shipped prices, which every pull includes."""
        return cls(cls.kind, FileOptions(location=str(SEED_FILE)), settings)

"""Fetches price files: those shipped with the product, and the user's own, which add to them.

Key: `seed`, or the path, and `all`. A file's new content replaces its old one, so a price is
corrected, or withdrawn, in the file that has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import ClassVar

from ingest.files.copying import copy_file
from ingest.files.feed import FileFeed
from ingest.files.folder import Folder, describe_location
from ingest.files.location import FileOptions
from ingest.files.store import TABLES, FileEntry, Store, file_key, select_readable
from ingest.source import ALL, Batch, FetchContext, Group
from models.config.settings import Settings
from models.contract.errors import InputError
from models.contract.shipped_data import shipped

SEED_FILE = shipped("data/prices.csv")
SEED = "seed"
SHIPPED = "breakeven:prices.csv"
"""What a delivery and the journal call the shipped file, wherever breakeven is installed."""


class ShippedPrices(Folder):
    """Gives the price file that ships with the product, by the name `breakeven:prices.csv`."""

    @property
    def location(self) -> str:
        """The name of the shipped prices, not the path of this installation."""
        return SHIPPED

    def entries(self) -> list[FileEntry]:
        """Lists the shipped price file, with its name in place of its path."""
        return [replace(entry, uri=SHIPPED) for entry in super().entries()]

    def fingerprint(self, entry: FileEntry) -> str:
        """Returns the SHA-256 of the shipped price file's bytes."""
        return super().fingerprint(replace(entry, uri=str(self.root)))

    def download(self, entry: FileEntry, target: Path, stop: Event) -> str:
        """Copies the shipped price file to `target`, and returns the copy's SHA-256."""
        return super().download(replace(entry, uri=str(self.root)), target, stop)


@dataclass(frozen=True)
class Prices(FileFeed):
    """The price file feed: CSV or Parquet files with prices at one location."""

    kind: ClassVar[str] = "prices"
    group: ClassVar[Group] = "prices"
    format: ClassVar[str] = "prices"

    @property
    def location(self) -> str:
        """Where price files are: an S3 prefix, a local path, or the name of the shipped file."""
        return SHIPPED if self._is_shipped else super().location

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Returns one delivery per price file. Raises `InputError` where there is none."""
        store = self.store(context)
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

    def store(self, context: FetchContext) -> Store:
        """Opens the shipped price file, or the feed's files; records S3 requests in its name."""
        return ShippedPrices(SEED_FILE) if self._is_shipped else super().store(context)

    @property
    def _is_shipped(self) -> bool:
        return self.options.location == str(SEED_FILE)

    def _unit(self, entry: FileEntry) -> str:
        return SEED if entry.uri == SHIPPED else file_key(entry, self.settings)

    @classmethod
    def seed(cls, settings: Settings) -> Prices:
        """Returns the source of the shipped prices, which every pull includes."""
        return cls(cls.kind, FileOptions(location=str(SEED_FILE)), settings)

"""Prices: the seed shipped with the product, and the user's own CSV, which adds to it.

Key: `seed`, or the path, and `all`; what a file says now replaces what it said before, so that a
price is corrected, or withdrawn, where it was written.
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

SEED_FILE = shipped("prices.csv")
SEED = "seed"


@dataclass(frozen=True)
class Prices:
    """Price files at one location."""

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
        """Where the files lie."""
        return open_store(self.options, self.settings).location

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """One batch per file."""
        store = open_store(self.options, self.settings, BilledTo(context.ledger, self.name))
        items = select_readable(store.entries(), TABLES)
        if not items:
            raise InputError(
                f"{self.name}: no price file found",
                value=describe_location(store),
                remedy=f"deliver one of {', '.join(TABLES)}, or correct `location`",
            )
        return [Batch(self._unit(item), ALL, partial(copy_file, store, item)) for item in items]

    def _unit(self, item: FileEntry) -> str:
        return SEED if item.uri == str(SEED_FILE) else file_key(item, self.settings)

    @classmethod
    def seed(cls, settings: Settings) -> Prices:
        """The shipped observations; always there, whatever the config says."""
        return cls(cls.kind, FileOptions(location=str(SEED_FILE)), settings)

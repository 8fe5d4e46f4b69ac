"""Prices: the seed shipped with the product, and the user's own CSV, which adds to it.

Key: `seed`, or the path, and `all`; what a file says now replaces what it said before, so that a
price is corrected, or withdrawn, where it was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ingest.files.s3 import Place, Purse, opened
from ingest.files.store import TABLES, Item, bring, described, readable, unit
from ingest.source import ALL, Group, Options, Parcel, Visit
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
        items = readable(store.items(), TABLES)
        if not items:
            raise InputError(
                f"{self.name}: no price file found",
                value=described(store),
                remedy=f"deliver one of {', '.join(TABLES)}, or correct `location`",
            )
        return [Parcel(self._unit(item), ALL, partial(bring, store, item)) for item in items]

    def _unit(self, item: Item) -> str:
        return SEED if item.uri == str(SEED_FILE) else unit(item, self.settings)

    @classmethod
    def seed(cls, settings: Settings) -> Prices:
        """The shipped observations; always there, whatever the config says."""
        return cls(cls.kind, Place(location=str(SEED_FILE)), settings)

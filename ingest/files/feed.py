"""The base class of the feeds that read files at one location, local or in S3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import BilledTo
from ingest.files.store import Store
from ingest.source import FetchContext, Options
from models.config.settings import Settings
from models.raw.delivery import Delivery


@dataclass(frozen=True)
class FileFeed:
    """The base of the feeds of files, local or in S3; a subclass sets `kind`, `group`, `format`."""

    format: ClassVar[str]
    accepts: ClassVar[type[Options]] = FileOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: FileOptions
    settings: Settings

    @property
    def location(self) -> str:
        """Where a feed's files are, as text: a local path or glob, or an S3 prefix."""
        return open_store(self.options, self.settings).location

    def store(self, context: FetchContext) -> Store:
        """Opens a feed's files, local or in S3; requests to S3 are recorded in the feed's name."""
        return open_store(self.options, self.settings, BilledTo(context.ledger, self.name))

    def delivered(self, context: FetchContext) -> list[Delivery]:
        """Lists the live deliveries of a feed; empty where it never delivered a file."""
        live = context.zone.live(self.format)
        return [delivery for delivery in live if delivery.key.source == self.name]

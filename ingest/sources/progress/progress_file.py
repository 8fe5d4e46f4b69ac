"""Fetches progress files that you write: CSV, JSON lines or Parquet; a file, folder or glob.

Key: the path and `all`. A file that vanished stays live: an epoch that was reached stays reached.
Cursor: none; a file is read again when its bytes changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ingest.files.copying import copy_file
from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import CONVERTERS, FileEntry, Store, file_key, select_readable
from ingest.source import ALL, Batch, FetchContext, Group
from models.contract.errors import InputError


@dataclass(frozen=True)
class ProgressFile(FileFeed):
    """The progress file feed: files of progress at one location, local or in S3."""

    kind: ClassVar[str] = "progress_file"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "progress"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Returns a delivery per progress file. `InputError` if none is there nor was delivered."""
        store = self.store(context)
        entries = progress_files(store, self.name, required=not self.delivered(context))
        return [
            Batch(file_key(entry, self.settings), ALL, partial(copy_file, store, entry))
            for entry in entries
        ]


def progress_files(store: Store, name: str, *, required: bool = True) -> list[FileEntry]:
    """Lists the progress files at a location. Raises `InputError` if required and none is there."""
    entries = select_readable(store.entries(), CONVERTERS)
    if required and not entries:
        raise InputError(
            f"{name}: no progress file found",
            value=describe_location(store),
            remedy=f"deliver one of {', '.join(CONVERTERS)}, or correct `location`",
        )
    return entries

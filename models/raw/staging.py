"""Writes a new delivery: adds its files, reuses unchanged ones, and completes it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

import pyarrow.parquet as pq
from pyarrow.lib import ArrowInvalid

from models.contract.errors import InputError
from models.raw import atomic_files
from models.raw.delivery import Delivery, File, Totals, fingerprint
from models.raw.delivery_key import Key
from models.raw.live_deliveries import live_deliveries
from models.raw.marker import write_marker
from models.raw.seen_versions import last_seen, record_versions


class EarlierDeliveries(Protocol):
    """The interface by which a new delivery reads earlier deliveries of its key."""

    def current(self, key: Key) -> Delivery | None:
        """Returns the newest delivery of a key (source, unit, period); None if there is none."""

    def history(self, key: Key) -> list[Delivery]:
        """Returns every delivery of one key (source, unit, period), oldest first."""


class Staging:
    """A delivery that is being written: add or reuse files, then `seal` it, else it is deleted."""

    def __init__(
        self, zone: EarlierDeliveries, key: Key, folder: Path, pulled_at: datetime
    ) -> None:
        self.most_rows: int | None = None
        """How many rows a file may have (`raw.max_rows`); None for any number."""
        self.zone, self.key, self.folder, self.pulled_at = zone, key, folder, pulled_at
        self._files: list[File] = []
        self._reused: set[str] = set()
        self.request_ids: list[str] = []
        """The ids that AWS gave to the requests this delivery came from."""
        self.arrived: Callable[[File], object] = lambda _: None
        """Called with each new file as it arrives, so that it can be checked meanwhile."""

    @property
    def fresh(self) -> tuple[File, ...]:
        """Returns the added files that were not reused from an earlier delivery."""
        return tuple(file for file in self._files if file.name not in self._reused)

    @property
    def files(self) -> tuple[File, ...]:
        """Returns the files added so far to the delivery being written."""
        return tuple(self._files)

    @property
    def rows(self) -> int:
        """Returns the number of rows in all files of the delivery being written."""
        return sum(file.rows for file in self._files)

    @property
    def live_rows(self) -> int:
        """Returns the number of rows of the newest delivery of the same key; 0 if there is none."""
        live = self.zone.current(self.key)
        return live.rows if live else 0

    @property
    def next_path(self) -> Path:
        """Returns the path at which the next Parquet file must be written."""
        return self.folder / f"{len(self._files):05}.parquet"

    def add(self, path: Path, *, origin: str = "", etag: str = "", sha256: str = "") -> File:
        """Adds the Parquet file at a path; `InputError` if it is damaged or has too many rows.

        Those are more than `most_rows`. `sha256` is the hash of its bytes, if the caller knows it;
        otherwise it is computed.
        """
        try:
            rows = pq.read_metadata(path).num_rows
        except (ArrowInvalid, OSError):
            raise InputError(
                f"{origin or path} is not a whole Parquet file",
                value="it is cut off or damaged",
                remedy="deliver it again, whole",
            ) from None
        if self.most_rows is not None and rows > self.most_rows:
            raise InputError(
                f"{origin or path} has too many rows",
                value=f"{rows:,}, at most {self.most_rows:,} are read",
                remedy="deliver it in several files, or raise raw.max_rows",
            )
        with path.open("rb") as written:
            os.fsync(written.fileno())
        digest = sha256 or atomic_files.sha256(path)
        file = File(path.name, digest, rows, path.stat().st_size, origin, etag)
        self._files.append(file)
        return file

    def known(self, origin: str, etag: str, *, moved: bool = False) -> tuple[Delivery, File] | None:
        """Returns (delivery, file) of the key's newest delivery with this version; None if none.

        `etag` is the version, as of when the file was last seen. With `moved` a file of this
        version that came from another place will do, where the version tells the content.
        """
        live = self.zone.current(self.key)
        same = [file for file in self._last_seen if file.etag == etag]
        same.sort(key=lambda file: file.origin != origin)
        for file in same[:1]:
            if live and (moved or file.origin == origin) and (live.folder / file.name).is_file():
                return live, replace(file, origin=origin)
        return None

    @cached_property
    def _last_seen(self) -> tuple[File, ...]:
        """Returns the files of the key's newest delivery, with origin and version last seen.

        A folder of many files that is touched at every pull has as many lines of versions.
        """
        live = self.zone.current(self.key)
        return last_seen(live) if live else ()

    def reuse(self, delivery: Delivery, file: File) -> File:
        """Adds a file of an earlier delivery by hard link or copy; returns it with its new name."""
        path = self.next_path
        source = delivery.folder / file.name
        try:
            os.link(source, path)
        except OSError:  # another file system, or too many links
            shutil.copyfile(source, path)
        reused = replace(file, name=path.name)
        self._files.append(reused)
        self._reused.add(path.name)
        return reused

    def unchanged(self, *, append: bool = False) -> Delivery | None:
        """Returns an earlier delivery in force with the added files' content; else None."""
        content = fingerprint(self._files)
        history = self.zone.history(self.key)
        live = live_deliveries(history) if append else history[-1:]
        same = (d for d in live if (d.fingerprint, d.append) == (content, append))
        return next((d for d in same if d.present), None)

    def confirm(self, delivery: Delivery) -> None:
        """Records the added files' versions in a delivery that has the same content."""
        record_versions(delivery, self._files, self.pulled_at)

    def seal(
        self,
        format: str,
        *,
        totals: Totals | None = None,
        append: bool = False,
    ) -> Delivery:
        """Completes the delivery: writes its marker, which makes it the newest, and returns it."""
        delivery = Delivery(
            key=self.key,
            id=self.folder.name,
            format=format,
            pulled_at=self.pulled_at,
            files=self.files,
            append=append,
            totals=totals or {},
            request_ids=tuple(self.request_ids),
            folder=self.folder,
        )
        write_marker(delivery)
        return delivery

"""Fills a new delivery: adds its files, recognises unchanged ones, and seals it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from pyarrow.lib import ArrowInvalid

from models.contract.errors import InputError
from models.raw import atomic_files
from models.raw.delivery import Delivery, File, Totals, fingerprint
from models.raw.delivery_key import Key
from models.raw.marker import write_marker

if TYPE_CHECKING:
    from models.raw.zone import RawZone


class Staging:
    """A delivery in the making: files are added or reused, then it is sealed or dropped."""

    def __init__(self, zone: RawZone, key: Key, folder: Path, pulled_at: datetime) -> None:
        self.zone, self.key, self.folder, self.pulled_at = zone, key, folder, pulled_at
        self._files: list[File] = []
        self._reused: set[str] = set()
        self.request_ids: list[str] = []
        """The ids that AWS gave to the requests this delivery came from."""
        self.arrived: Callable[[File], object] = lambda _: None
        """Called with each new file as it arrives, so that it can be checked meanwhile."""

    @property
    def fresh(self) -> tuple[File, ...]:
        """The files that are not part of an earlier delivery."""
        return tuple(file for file in self._files if file.name not in self._reused)

    @property
    def files(self) -> tuple[File, ...]:
        """The files that were added so far."""
        return tuple(self._files)

    @property
    def rows(self) -> int:
        """The number of rows in all files."""
        return sum(file.rows for file in self._files)

    @property
    def live_rows(self) -> int:
        """The number of rows that are live under this key now."""
        live = self.zone.current(self.key)
        return live.rows if live else 0

    @property
    def next_path(self) -> Path:
        """The path to write the next Parquet file to, before `add`."""
        return self.folder / f"{len(self._files):05}.parquet"

    def add(self, path: Path, *, origin: str = "", etag: str = "", sha256: str = "") -> File:
        """Adds a Parquet file written to `next_path`. Raises `InputError` if it is damaged.

        `sha256` is that of its bytes, if the caller knows it; else it is computed.
        """
        try:
            rows = pq.read_metadata(path).num_rows
        except (ArrowInvalid, OSError):
            raise InputError(
                f"{origin or path} is not a whole Parquet file",
                value="it is cut off or damaged",
                remedy="deliver it again, whole",
            ) from None
        with path.open("rb") as written:
            os.fsync(written.fileno())
        digest = sha256 or atomic_files.sha256(path)
        file = File(path.name, digest, rows, path.stat().st_size, origin, etag)
        self._files.append(file)
        return file

    def known(self, origin: str, etag: str) -> tuple[Delivery, File] | None:
        """Returns the live delivery and file that already hold `origin` with this `etag`."""
        live = self.zone.current(self.key)
        for file in live.files if live else ():
            if live and (file.origin, file.etag) == (origin, etag):
                return (live, file) if (live.folder / file.name).is_file() else None
        return None

    def reuse(self, delivery: Delivery, file: File) -> File:
        """Adds a file of an earlier delivery again, as a hard link, so that no bytes are copied."""
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
        """Returns the live delivery that already holds exactly these bytes, if there is one."""
        content = fingerprint(self._files)
        history = self.zone.history(self.key)
        live = history if append else history[-1:]
        same = (d for d in live if (d.fingerprint, d.append) == (content, append))
        return next((d for d in same if d.present), None)

    def seal(
        self,
        format: str,
        *,
        totals: Totals | None = None,
        append: bool = False,
    ) -> Delivery:
        """Writes the marker: from now on the delivery exists and is the newest of its key."""
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

"""The raw zone: what AWS said, unchanged, written once.

A *delivery* is a folder `raw/<source>/<unit>/<period>/<id>/` of Parquet files and a marker,
`_delivery.json`, written last. Without its marker a folder does not exist for any reader and is
swept. The newest delivery of a key (source, unit, period) is live; deliveries of an `append`
format all stay live. Nothing is ever changed in place.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pyarrow.parquet as pq
from pyarrow.lib import ArrowInvalid

from models.contract.errors import InputError
from models.raw import atomic_files
from models.raw.delivery import MARKER, Delivery, File, Key, Totals, fingerprint, read, write

__all__ = ["MARKER", "Delivery", "File", "Key", "RawZone", "Staging", "Totals", "fingerprint"]


class RawZone:
    """The folder `raw/` beside the warehouse."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def deliveries(self) -> list[Delivery]:
        """Every delivery with a marker, oldest first."""
        markers = self.root.glob(f"*/*/*/*/{MARKER}")
        return sorted((read(marker) for marker in markers), key=lambda d: (d.pulled_at, d.id))

    def live(self, *formats: str) -> list[Delivery]:
        """What counts now, in order of key; of the named formats, or of all."""
        return [d for d in live(self.deliveries()) if not formats or d.format in formats]

    def history(self, key: Key) -> list[Delivery]:
        """Every delivery of one key, oldest first."""
        markers = (self.root / key.path).glob(f"*/{MARKER}")
        return sorted(map(read, markers), key=lambda d: (d.pulled_at, d.id))

    def current(self, key: Key) -> Delivery | None:
        """The live delivery of one key (the newest, where all stay live)."""
        return next(reversed(self.history(key)), None)

    @contextmanager
    def staging(self, key: Key) -> Iterator[Staging]:
        """A folder to fill and `seal`; whatever was not sealed is removed."""
        pulled_at = self._next_instant(key)
        folder = self.root / key.path / f"{pulled_at:%Y%m%dT%H%M%S%f}-{uuid4().hex[:8]}"
        with atomic_files.writing(folder):
            folder.mkdir(parents=True)
            try:
                yield Staging(self, key, folder, pulled_at)
            finally:
                if not (folder / MARKER).exists():
                    shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, keep: timedelta, spare: Collection[str] = ()) -> None:
        """Removes folders a crash left, and the files of deliveries superseded `keep` ago.

        `spare` are ids of deliveries that a closed month names: they keep their files. Only for
        the one writer: a delivery being made by another process has no marker yet.
        """
        for folder in self.root.glob("*/*/*/*"):
            if folder.is_dir() and not (folder / MARKER).exists():
                shutil.rmtree(folder)
        for old, newer in self._superseded():
            if datetime.now(UTC) - newer.pulled_at > keep and old.id not in spare:
                for path in old.paths:
                    path.unlink(missing_ok=True)

    def _superseded(self) -> Iterator[tuple[Delivery, Delivery]]:
        """Each delivery that is no longer live, with the one that replaced it."""
        newest: dict[Key, Delivery] = {}
        for delivery in self.deliveries():
            if not delivery.append:
                if delivery.key in newest:
                    yield newest[delivery.key], delivery
                newest[delivery.key] = delivery

    def _next_instant(self, key: Key) -> datetime:
        """Now; or just after the newest delivery of the key, should the clock have gone back."""
        now, last = datetime.now(UTC), self.current(key)
        return max(now, last.pulled_at + timedelta(microseconds=1)) if last else now


def live(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Those of `deliveries` (oldest first) that count now, in order of key."""
    newest: dict[Key, dict[str, Delivery]] = {}
    for delivery in deliveries:
        of_key = newest.setdefault(delivery.key, {})
        if not delivery.append:
            of_key.clear()  # those that were appended under this key before, too
        of_key[delivery.fingerprint] = delivery
    found = (delivery for of_key in newest.values() for delivery in of_key.values())
    return sorted(found, key=lambda d: (d.key, d.pulled_at, d.id))


class Staging:
    """A delivery in the making."""

    def __init__(self, zone: RawZone, key: Key, folder: Path, pulled_at: datetime) -> None:
        self.zone, self.key, self.folder, self.pulled_at = zone, key, folder, pulled_at
        self._files: list[File] = []
        self._reused: set[str] = set()
        self.request_ids: list[str] = []
        """What AWS called the requests that this delivery came from."""
        self.arrived: Callable[[File], object] = lambda _: None
        """Is told of each new file as it arrives; set where there is something to do meanwhile."""

    @property
    def fresh(self) -> tuple[File, ...]:
        """What was added and is not part of an earlier delivery."""
        return tuple(file for file in self._files if file.name not in self._reused)

    @property
    def files(self) -> tuple[File, ...]:
        """What was added so far."""
        return tuple(self._files)

    @property
    def rows(self) -> int:
        """Rows in all of them."""
        return sum(file.rows for file in self._files)

    @property
    def live_rows(self) -> int:
        """Rows that are live under this key now."""
        live = self.zone.current(self.key)
        return live.rows if live else 0

    @property
    def next_path(self) -> Path:
        """Where the next Parquet file should be written before `add`."""
        return self.folder / f"{len(self._files):05}.parquet"

    def add(self, path: Path, *, origin: str = "", etag: str = "", sha256: str = "") -> File:
        """Counts a Parquet file that was written to `next_path`. Refuses a damaged one.

        `sha256` is of its bytes, where whoever wrote them knows it.
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
        mark = sha256 or atomic_files.sha256(path)
        file = File(path.name, mark, rows, path.stat().st_size, origin, etag)
        self._files.append(file)
        return file

    def known(self, origin: str, etag: str) -> tuple[Delivery, File] | None:
        """Where the live delivery of this key already holds `origin` with this `etag`."""
        live = self.zone.current(self.key)
        for file in live.files if live else ():
            if live and (file.origin, file.etag) == (origin, etag):
                return (live, file) if (live.folder / file.name).is_file() else None
        return None

    def reuse(self, delivery: Delivery, file: File) -> File:
        """Counts a file of an earlier delivery again, unchanged and without copying its bytes."""
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
        """The live delivery that already holds exactly these bytes, if there is one."""
        mark = fingerprint(self._files)
        history = self.zone.history(self.key)
        live = history if append else history[-1:]
        alike = (d for d in live if (d.fingerprint, d.append) == (mark, append))
        return next((d for d in alike if d.present), None)

    def seal(
        self,
        format: str,
        *,
        totals: Totals | None = None,
        append: bool = False,
    ) -> Delivery:
        """Writes the marker: from this moment the delivery exists, and is the newest of its key."""
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
        write(delivery)
        return delivery

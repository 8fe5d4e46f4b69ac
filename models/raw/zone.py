"""Keeps the raw zone: the folder in which every delivery is written once and never changed.

A delivery is a folder `raw/<source>/<unit>/<period>/<id>/` of Parquet files and a marker,
`_delivery.json`, written last. Readers ignore a folder without its marker, and it is swept. Nothing
is ever changed in place; `live_deliveries` says which deliveries count, and `seen_versions` appends
beside a marker under which newer versions the same files were seen.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from models.raw import atomic_files
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.live_deliveries import live_deliveries, superseded_deliveries
from models.raw.marker import MARKER, read_marker
from models.raw.staging import Staging


class RawZone:
    """Lists, adds and deletes deliveries of the raw zone, the folder `raw/` by the warehouse."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def deliveries(self) -> list[Delivery]:
        """Returns every complete delivery of the raw zone, oldest first."""
        markers = self.root.glob(f"*/*/*/*/{MARKER}")
        return sorted(
            (read_marker(marker) for marker in markers), key=lambda d: (d.pulled_at, d.id)
        )

    def live(self, *formats: str) -> list[Delivery]:
        """Lists the deliveries in force, sorted by key: those of the given formats, or all."""
        return [d for d in live_deliveries(self.deliveries()) if not formats or d.format in formats]

    def history(self, key: Key) -> list[Delivery]:
        """Returns every delivery of one key (source, unit, period), oldest first."""
        markers = (self.root / key.path).glob(f"*/{MARKER}")
        return sorted(map(read_marker, markers), key=lambda d: (d.pulled_at, d.id))

    def current(self, key: Key) -> Delivery | None:
        """Returns the newest delivery of a key (source, unit, period); None if there is none."""
        return next(reversed(self.history(key)), None)

    @contextmanager
    def staging(self, key: Key) -> Iterator[Staging]:
        """Yields a new delivery to fill, and deletes its folder if it was not sealed."""
        pulled_at = self._next_instant(key)
        folder = self.root / key.path / f"{pulled_at:%Y%m%dT%H%M%S%f}-{uuid4().hex[:8]}"
        with atomic_files.write_errors(folder):
            folder.mkdir(parents=True)
            try:
                yield Staging(self, key, folder, pulled_at)
            finally:
                if not (folder / MARKER).exists():
                    shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, keep: timedelta, spare: Collection[str] = ()) -> None:
        """Deletes unfinished deliveries, and files of deliveries replaced longer than `keep` ago.

        `spare` are ids of deliveries that a closed month names; they keep their files. Only the one
        writer may call it, because a delivery in the making has no marker yet.
        """
        for folder in self.root.glob("*/*/*/*"):
            if folder.is_dir() and not (folder / MARKER).exists():
                shutil.rmtree(folder)
        for old, newer in superseded_deliveries(self.deliveries()):
            if datetime.now(UTC) - newer.pulled_at > keep and old.id not in spare:
                for path in old.paths:
                    path.unlink(missing_ok=True)

    def _next_instant(self, key: Key) -> datetime:
        """Returns the time now, or just after the key's newest delivery if that is later."""
        now, last = datetime.now(UTC), self.current(key)
        return max(now, last.pulled_at + timedelta(microseconds=1)) if last else now

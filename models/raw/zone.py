"""Defines the raw zone: the folder of everything that was delivered, written once.

A delivery is a folder `raw/<source>/<unit>/<period>/<id>/` of Parquet files and a marker,
`_delivery.json`, written last. A folder without its marker does not exist for any reader and is
swept. Nothing is ever changed in place; `live_deliveries` says which deliveries count.
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
    """The folder `raw/` beside the warehouse, and the deliveries in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def deliveries(self) -> list[Delivery]:
        """Returns every delivery that has a marker, oldest first."""
        markers = self.root.glob(f"*/*/*/*/{MARKER}")
        return sorted(
            (read_marker(marker) for marker in markers), key=lambda d: (d.pulled_at, d.id)
        )

    def live(self, *formats: str) -> list[Delivery]:
        """Returns the live deliveries, in order of key; of the named formats, or of all."""
        return [d for d in live_deliveries(self.deliveries()) if not formats or d.format in formats]

    def history(self, key: Key) -> list[Delivery]:
        """Returns every delivery of one key, oldest first."""
        markers = (self.root / key.path).glob(f"*/{MARKER}")
        return sorted(map(read_marker, markers), key=lambda d: (d.pulled_at, d.id))

    def current(self, key: Key) -> Delivery | None:
        """Returns the live delivery of one key (the newest, where all stay live)."""
        return next(reversed(self.history(key)), None)

    @contextmanager
    def staging(self, key: Key) -> Iterator[Staging]:
        """Opens a folder to fill and `seal`; on leaving, an unsealed folder is removed."""
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
        """Removes folders that a crash left, and files of deliveries superseded longer than `keep`.

        `spare` are ids of deliveries that a closed month names: they keep their files. Only the
        one writer may call it: a delivery in the making has no marker yet.
        """
        for folder in self.root.glob("*/*/*/*"):
            if folder.is_dir() and not (folder / MARKER).exists():
                shutil.rmtree(folder)
        for old, newer in superseded_deliveries(self.deliveries()):
            if datetime.now(UTC) - newer.pulled_at > keep and old.id not in spare:
                for path in old.paths:
                    path.unlink(missing_ok=True)

    def _next_instant(self, key: Key) -> datetime:
        """Now, or just after the newest delivery of the key if the clock went back."""
        now, last = datetime.now(UTC), self.current(key)
        return max(now, last.pulled_at + timedelta(microseconds=1)) if last else now

"""Fetches TensorBoard's event files: the values that the config maps, each with its time.

Key: the file and `all`. A file that vanished stays live: an epoch that was reached stays reached.
Cursor: none; a file is read again when it has grown. What a restart's `purge_step` hides on
TensorBoard is read, too: it was trained, and what is trained again is no progress (METHOD §3.1).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import ClassVar

from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store, file_key
from ingest.source import ALL, Batch, FetchContext, Group, Options
from ingest.sources.progress.tensorboard import merged_folders
from ingest.sources.progress.tensorboard.event_files import event_files, names_of
from ingest.sources.progress.tensorboard.left_out import LeftOut
from ingest.sources.progress.tensorboard.options import Meaning, TensorBoardOptions
from models.contract.errors import ConfigError, InputError
from models.raw.delivery import Delivery
from models.raw.staging import Staging


@dataclass(frozen=True)
class TensorBoard(FileFeed):
    """The TensorBoard feed: event files at one location, local or in S3."""

    kind: ClassVar[str] = "tensorboard"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "tensorboard"
    accepts: ClassVar[type[Options]] = TensorBoardOptions

    options: TensorBoardOptions

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per event file. Raises `InputError` where there never was one."""
        _reader()
        store = self.store(context)
        entries = event_files(store.entries())
        if not entries and not any(
            d.key.source == self.name for d in context.zone.live(self.format)
        ):
            raise InputError(
                f"{self.name}: no event file of TensorBoard found",
                value=describe_location(store),
                remedy="deliver events.out.tfevents.*, or correct `location`",
            )
        left_out, runs = LeftOut(), defaultdict[str, list[FileEntry]](list)
        for entry in entries:
            if labels := self._labels(entry, left_out):
                runs[labels["run_name"]].append(entry)
                fill = partial(self._fill, store, entry, labels, left_out)
                yield Batch(file_key(entry, self.settings), ALL, fill, empty=True)
        context.notices.extend(left_out.notices())  # each is read by now
        context.notices.extend(merged_folders.notices(self._folders(runs, context)))

    def _folders(
        self, runs: dict[str, list[FileEntry]], context: FetchContext
    ) -> dict[str, dict[str, list[Delivery]]]:
        """Returns what is live of each folder of each run whose folders no `path` tells apart."""
        live = {d.key.unit: d for d in context.zone.live(self.format) if d.key.source == self.name}
        found: dict[str, dict[str, list[Delivery]]] = {}
        for run, entries in runs.items() if not self.options.path else ():
            for entry in entries:
                if delivery := live.get(file_key(entry, self.settings)):
                    folder = entry.uri.rpartition("/")[0]
                    found.setdefault(run, {}).setdefault(folder, []).append(delivery)
        return found

    def _labels(self, entry: FileEntry, left_out: LeftOut) -> dict[str, str] | None:
        """Returns what every value of an event file is labelled with; None where it is no run's."""
        names = names_of(entry, self.options)
        if not names:
            fits = f"does not fit path = {self.options.path}" if self.options.path else "names none"
            left_out.add("file", f"without a workload, as its folder {fits}", entry.uri)
            return None
        key = self.settings.tags.workload
        tags = {key: names["workload"]} if "workload" in names else {}
        return {"source": self.name, "run_name": names["run"], "Tags": json.dumps(tags)}

    def _fill(
        self,
        store: Store,
        entry: FileEntry,
        labels: dict[str, str],
        left_out: LeftOut,
        staging: Staging,
    ) -> None:
        """Writes the values of one event file, or links the live delivery if it has not grown."""
        meaning = Meaning.of(self.options)
        version = _version(entry, labels, meaning)
        if known := staging.known(entry.uri, version):
            staging.reuse(*known)
            return
        draft = staging.folder / "fetched"
        store.download(entry, draft, Event())
        rows = _reader()(draft, staging.next_path, entry.uri, labels, meaning, left_out)
        draft.unlink()
        if not rows and (live := _read_otherwise(staging, version)):
            staging.next_path.unlink()
            for file in live.files:
                staging.reuse(live, file)
            return
        staging.add(staging.next_path, origin=entry.uri, etag=version)
        _refuse_fewer_values(entry, version, staging)


def _version(entry: FileEntry, labels: dict[str, str], meaning: Meaning) -> str:
    """Returns a text that changes when the file has grown, or is to be read in another way.

    An event file is only appended to, and may hold gigabytes of images: its size and time tell, and
    it is not read to be told.
    """
    read_as = json.dumps([labels, meaning], sort_keys=True)
    seen = entry.etag or entry.modified.isoformat()
    return f"{seen}:{entry.size}:{sha256(read_as.encode()).hexdigest()[:16]}"


def _read_otherwise(staging: Staging, version: str) -> Delivery | None:
    """Returns the live delivery if it was read in another way, such as by other `metrics`.

    A file that has none of the new ones keeps it: their names tell the build not to count it.
    """
    live = staging.zone.current(staging.key)
    return None if live is None or _read_alike(live, version) else live


def _read_alike(live: Delivery, version: str) -> bool:
    read_as = version.rpartition(":")[2]
    return all(file.etag.rpartition(":")[2] == read_as for file in live.files)


def _refuse_fewer_values(entry: FileEntry, version: str, staging: Staging) -> None:
    """Raises `InputError` for a file that lost values since it was last read in the same way.

    Writers only append, so it was damaged or replaced.
    """
    live = staging.zone.current(staging.key)
    if live and staging.rows < live.rows and _read_alike(live, version):
        raise InputError(
            f"{entry.uri} holds fewer values than were read of it before",
            value=f"{staging.rows:,} of {live.rows:,}",
            remedy="deliver it again, whole; what was read of it stays",
        )


def _reader() -> Callable[[Path, Path, str, dict[str, str], Meaning, LeftOut], int]:
    """Imports what reads event files. Raises `ConfigError` where its packages are not installed."""
    try:
        from ingest.sources.progress.tensorboard.delivered_values import write_values
    except ModuleNotFoundError as error:
        raise ConfigError(
            "TensorBoard's files need packages that breakeven does not bring",
            value=error.name,
            remedy="pip install google-crc32c protobuf",
        ) from None
    return write_values

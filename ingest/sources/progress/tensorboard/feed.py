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
from pathlib import Path
from threading import Event
from typing import ClassVar

from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store, file_key
from ingest.source import ALL, Batch, FetchContext, Group, Options
from ingest.sources.progress.tensorboard.event_files import (
    Labels,
    event_files,
    lightning_folders,
    names_of,
)
from ingest.sources.progress.tensorboard.first_steps import first_steps
from ingest.sources.progress.tensorboard.left_out import LeftOut
from ingest.sources.progress.tensorboard.options import Meaning, TensorBoardOptions
from ingest.sources.progress.tensorboard.versions import (
    REUSED,
    keep,
    read_otherwise,
    refuse_fewer_values,
    version_of,
)
from ingest.trackers import merged_folders
from models.contract.errors import ConfigError, InputError
from models.raw.staging import Staging

PACKAGES = "google-crc32c protobuf"


@dataclass(frozen=True)
class TensorBoard(FileFeed):
    """The TensorBoard feed: event files at one location, local or in S3."""

    kind: ClassVar[str] = "tensorboard"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "tensorboard"
    accepts: ClassVar[type[Options]] = TensorBoardOptions

    options: TensorBoardOptions

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery per event file; `InputError` if none is there nor was delivered."""
        _reader()
        store = self.store(context)
        listed = store.entries()
        entries, lightning = event_files(listed), lightning_folders(listed)
        if not entries and not self.delivered(context):
            raise InputError(
                f"{self.name}: no event file of TensorBoard found",
                value=describe_location(store),
                remedy="deliver events.out.tfevents.*, or correct `location`",
            )
        left_out, runs = LeftOut(), defaultdict[tuple[str, str], list[FileEntry]](list)
        for entry in entries:
            if labels := self._labels(entry, lightning, left_out):
                runs[str(labels["run_name"]), str(labels["Tags"])].append(entry)
                fill = partial(self._fill, store, entry, labels, left_out)
                yield Batch(file_key(entry, self.settings), ALL, fill, empty=True)
        context.notices.extend(left_out.notices())  # each is read by now
        if not self.options.path:
            live = self.delivered(context)
            first = {run: first_steps(files, live) for run, files in runs.items()}
            context.notices.extend(merged_folders.notices(first, "runs/{run}"))

    def _labels(self, entry: FileEntry, lightning: set[str], left_out: LeftOut) -> Labels | None:
        """Returns run, tags and source of an event file's values; None if its path names no run."""
        names = names_of(entry, self.options)
        if not names:
            path = self.options.path
            why = f"does not fit path = {path}" if path else "names no workload (set `workload`)"
            left_out.add("file", f"whose folder {why}", entry.uri)
            return None
        key = self.settings.tags.workload
        tags = {key: names["workload"]} if "workload" in names else {}
        counts_from_0 = entry.uri.rpartition("/")[0] in lightning and not self.options.step
        named: Labels = {"source": self.name, "run_name": names["run"], "Tags": json.dumps(tags)}
        return {**named, "lightning": counts_from_0}

    def _fill(
        self,
        store: Store,
        entry: FileEntry,
        labels: Labels,
        left_out: LeftOut,
        staging: Staging,
    ) -> None:
        """Writes the values of one event file, or reuses the live delivery if it has not grown."""
        meaning = Meaning.of(self.options)
        version = version_of(entry, labels, meaning)
        known = staging.known(entry.uri, version) or staging.known(entry.uri, version + REUSED)
        if known:
            staging.reuse(*known)
            return
        draft = staging.folder / "fetched"
        store.download(entry, draft, Event())
        rows = _reader()(draft, staging.next_path, entry.uri, labels, meaning, left_out)
        draft.unlink()
        if not rows and (live := read_otherwise(staging, version)):
            keep(live, version, staging)
            return
        staging.add(staging.next_path, origin=entry.uri, etag=version)
        refuse_fewer_values(entry, version, staging)


def _reader() -> Callable[[Path, Path, str, Labels, Meaning, LeftOut], int]:
    """Imports what reads event files. Raises `ConfigError` where its packages are not installed."""
    try:
        from ingest.sources.progress.tensorboard.delivered_values import write_values
    except ModuleNotFoundError:
        raise ConfigError(
            "TensorBoard's files need packages that breakeven does not bring",
            value=PACKAGES,
            remedy=f"pip install {PACKAGES}; after pipx: pipx inject breakeven {PACKAGES}",
        ) from None
    return write_values

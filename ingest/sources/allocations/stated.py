"""Allocations that somebody states, in our own columns: CSV, JSON lines or Parquet; a folder or S3.

Key: the cluster (`account/cluster` where its lines name their account) and the UTC day. What is
stated wins over what any other source observed, for its cluster and day (METHOD §2.10). A file may
tell of many clusters and days, and a day may stand in several files: a delivery has one part from
each. A file that vanished stays live, and so does all that one stated which holds no rows now, or a
day that its only file no longer states: a notice says so, because a file may be cut off or hold the
newest days alone. A file with a bad line is refused whole, and what it stated before stays. Cursor:
none; a file is read again when its bytes changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import ClassVar

import pyarrow.parquet as pq

from ingest.allocations.deliveries import refusal
from ingest.allocations.live_days import LiveDays
from ingest.allocations.stated_file import StatedFile, read_stated_file
from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import CONVERTERS, FileEntry, Store, file_key, select_readable
from ingest.source import Batch, FetchContext, Group
from models.contract.errors import InputError
from models.contract.page_text import count
from models.engine.allocations.counted_deliveries import cluster_in
from models.raw.seen_versions import last_seen
from models.raw.staging import Staging

Key = tuple[str, date]
NOBODY = "a line with accelerators 0 states a day on which nobody held a machine"


@dataclass(frozen=True)
class Allocations(FileFeed):
    """The feed of allocations that somebody wrote into files, at one location, local or in S3."""

    kind: ClassVar[str] = "allocations"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "allocations"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery per cluster and UTC day of the changed files of stated allocations.

        Raises `InputError` where there never was a file.
        """
        store = self.store(context)
        entries = select_readable(store.entries(), CONVERTERS)
        live = LiveDays(context, self, self.format)
        if not entries and not live.any:
            raise InputError(
                f"{self.name}: no file of allocations",
                value=describe_location(store),
                remedy=f"deliver one of {', '.join(CONVERTERS)}, or correct `location`",
            )
        changed: dict[str, StatedFile] = {}
        for entry in entries:
            version = store.fingerprint(entry)
            if live.has(entry.uri, version):
                context.unchanged.append(entry.path)
                continue
            try:
                changed[entry.uri] = self._read(store, entry, version)
            except InputError as error:
                yield refusal(file_key(entry, self.settings), error)
        for uri in [uri for uri, file in changed.items() if not file.rows]:
            del changed[uri]
            context.notices.append(_empty(uri, live))
        for uri, unlike in _unlike_others(changed, live):
            del changed[uri]
            yield refusal(uri, unlike)
        context.notices.extend(_no_longer_stated(changed, live))
        yield from self._batches(changed, live, {entry.uri for entry in entries})

    def _read(self, store: Store, entry: FileEntry, version: str) -> StatedFile:
        """Downloads and checks a file of stated allocations. Raises `InputError` for a bad line."""
        keep_user = self.settings.allocations.keep_user
        with TemporaryDirectory(prefix="breakeven-") as folder:
            draft = Path(folder, f"delivered{entry.suffix}")
            store.download(entry, draft, Event())
            return read_stated_file(entry, draft, version, keep_user=keep_user)

    def _batches(
        self, changed: dict[str, StatedFile], live: LiveDays, here: set[str]
    ) -> Iterator[Batch]:
        """Yields a delivery per cluster and day that changed files have, or had beside other files.

        Files that were read before a day was over and say the same of it after that, `here` still
        while a changed one tells of a later day of the cluster, have said all of it.
        """
        stated = {key for file in changed.values() for key in file.parts}
        newest = dict(sorted(stated))
        ended = live.seen_before_their_end(newest, here)
        keys = stated | ended | {key for uri in changed for key in live.keys_of(uri)}
        for cluster, day in sorted(keys):
            parts = [file for file in changed.values() if (cluster, day) in file.parts]
            if parts or live.has_other_parts(cluster, day, changed):
                fill = partial(_fill, parts, live, (cluster, day), frozenset(changed))
                yield Batch(cluster, f"{day}", fill, again=(cluster, day) in ended)


def _unlike_others(changed: dict[str, StatedFile], live: LiveDays) -> list[tuple[str, InputError]]:
    """Returns (file, error) for files that name a day's account where others do not, or reversed.

    One that names none is about every account, and would hide what the other says of its own.
    """
    others = live.parts_of_other_files(changed)
    known = {(cluster_in(unit), day): (unit, file) for unit, day, file in others}
    refused: list[tuple[str, InputError]] = []
    for uri, file in changed.items():
        mine = {(cluster_in(unit), day): (unit, uri) for unit, day in file.parts}
        both = sorted(mine.keys() & known.keys())
        unlike = [key for key in both if _is_named(mine[key][0]) != _is_named(known[key][0])]
        if unlike:
            (cluster, day), (_, other) = unlike[0], known[unlike[0]]
            problem = (
                f"{uri}: the account of {cluster} on {day} is named here or there, not in both"
            )
            refused.append((uri, InputError(problem, value=other, remedy="name it in both")))
        else:
            known |= mine
    return refused


def _is_named(unit: str) -> bool:
    """Whether a delivery key names an account before the cluster."""
    return unit != cluster_in(unit)


def _empty(uri: str, live: LiveDays) -> str:
    """Returns a notice's text: a file has no rows, so what it stated before still counts."""
    days = len(live.keys_of(uri))
    stays = f": what it had stated of {count(days, 'day')} stays ({NOBODY})" if days else ""
    return f"{uri} holds no rows{stays}"


def _no_longer_stated(changed: dict[str, StatedFile], live: LiveDays) -> Iterator[str]:
    """Yields a notice per changed file of days it alone had stated and no file states now.

    They stay as they were, until it states them again.
    """
    stated = {(cluster_in(unit), day) for file in changed.values() for unit, day in file.parts}
    for uri in changed:
        gone = {key for key in live.keys_of(uri) if (cluster_in(key[0]), key[1]) not in stated}
        alone = sorted(key for key in gone if not live.has_other_parts(*key, changed))
        if alone:
            cluster, day = alone[0]
            yield (
                f"{uri} no longer states {len(alone)} of the days that it had stated, {day} of "
                f"{cluster} for one: what it had stated of them stays until it states them "
                f"again ({NOBODY})"
            )


def _fill(
    parts: list[StatedFile], live: LiveDays, key: Key, changed: frozenset[str], staging: Staging
) -> None:
    """Writes the changed files' parts of a day, and reuses the delivered parts of others."""
    delivery = live.of(*key)
    for file in last_seen(delivery) if delivery and delivery.present else ():
        if delivery and file.origin not in changed:
            staging.reuse(delivery, file)
    for part in parts:
        pq.write_table(part.parts[key], staging.next_path, compression="zstd")
        staging.add(staging.next_path, origin=part.origin, etag=part.version)

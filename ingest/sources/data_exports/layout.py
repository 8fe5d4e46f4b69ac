"""The layout of AWS Data Exports: which of the files under a location are the bill.

    <export>/data/BILLING_PERIOD=2026-09/[<execution>/]<export>-00001.snappy.parquet
    <export>/metadata/BILLING_PERIOD=2026-09/[<execution>/]<export>-Manifest.json

The manifest of a month is written after its data and names the files of one execution: nothing
else under the month counts. Without any manifest a month's folder counts whole (its newest
execution, where AWS kept several), and without such folders all files are one delivery.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ingest.files.store import TABLES, FileEntry, Store, select_readable
from ingest.source import ALL
from models.contract.errors import InputError

MONTH = re.compile(r"^billing_period=(\d{4}-(?:0[1-9]|1[0-2]))$", re.IGNORECASE)
EXECUTION = re.compile(r"^\d{4}-?\d{2}-?\d{2}T[\d:.-]+Z?(-[\w-]+)?$")
MANIFEST = "manifest.json"
UNDER_WAY = timedelta(hours=1)
"""Data newer than its manifest for this long is a copy made in another order, not a delivery."""
TOGETHER = timedelta(minutes=1)
"""Files this close in time were written by the same hand."""


@dataclass(frozen=True)
class Part:
    """One export's one billing month (`YYYY-MM`, or `all`)."""

    unit: str
    period: str
    items: tuple[FileEntry, ...] = ()
    manifest: FileEntry | None = None


def parts(location: str, items: list[FileEntry], *, described: str = "") -> list[Part]:
    """What a location holds, in order of export and month; manifests are not yet read.

    `described` says more of the location where it holds nothing.
    """
    name = location.rstrip("/").rpartition("/")[2] or location
    found = _manifests(items, name) or _folders(select_readable(items, TABLES), name)
    if not found:
        raise InputError(
            "no export found",
            value=described or location,
            remedy="check `location`; a new export arrives within a day",
        )
    return sorted(found, key=lambda part: (part.unit, part.period))


def files(store: Store, part: Part, items: Mapping[str, FileEntry]) -> list[FileEntry]:
    """The data files of a part. `items` are all of the store's, by lower-case path.

    Raises `InputError` while a delivery is under way, or when the manifest is not one.
    """
    if part.manifest is None:
        return list(part.items)
    root = part.manifest.path.lower().rpartition("metadata/")[0]
    names = _named(store, part.manifest)
    found = [_found(items, root, name, part.manifest) for name in names]
    _settled(part.manifest, found)
    return select_readable(found, TABLES, all_of_them=True)


def _manifests(items: Iterable[FileEntry], name: str) -> list[Part]:
    """One part per export and month: the month's own manifest, else its newest execution's."""
    newest: dict[tuple[str, str], tuple[str, Part]] = {}
    for item in items:
        *folders, file = item.path.split("/")
        if not file.lower().endswith(MANIFEST):
            continue
        place = next((n for n, folder in enumerate(folders) if MONTH.match(folder)), 0)
        if place == 0 or folders[place - 1].lower() != "metadata":
            continue
        month = folders[place].partition("=")[2]
        unit = "/".join(folders[: place - 1]) or name
        execution = "/".join(folders[place + 1 :]) or "~"  # after every execution's name
        rank, _ = newest.get((unit, month), ("", None))
        if execution > rank:
            newest[unit, month] = execution, Part(unit, month, manifest=item)
    return [part for _, part in newest.values()]


def _folders(items: Iterable[FileEntry], name: str) -> list[Part]:
    groups: dict[tuple[str, str], list[FileEntry]] = {}
    for item in items:
        *folders, _ = item.path.split("/")
        place = next((n for n, folder in enumerate(folders) if MONTH.match(folder)), None)
        if place is None:
            groups.setdefault((name, ALL), []).append(item)
            continue
        under_data = place > 0 and folders[place - 1].lower() == "data"
        above = folders[: place - 1] if under_data else folders[:place]
        key = "/".join(above) or name, folders[place].partition("=")[2]
        groups.setdefault(key, []).append(item)
    return [Part(*key, items=tuple(_newest_execution(group))) for key, group in groups.items()]


def _newest_execution(items: list[FileEntry]) -> list[FileEntry]:
    def execution(item: FileEntry) -> str:
        names = [folder for folder in item.path.split("/")[:-1] if EXECUTION.match(folder)]
        return names[-1] if names else ""

    newest = max(map(execution, items))
    return [item for item in items if execution(item) == newest]


def _named(store: Store, manifest: FileEntry) -> list[str]:
    """The data files a manifest names: `s3://` addresses or bare keys."""
    try:
        named = json.loads(store.read(manifest))["dataFiles"]
    except (ValueError, KeyError, TypeError):
        named = None
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise InputError(
            "this manifest lists no dataFiles",
            value=manifest.uri,
            remedy="deliver the export again, or remove the file",
        )
    if not named:
        raise InputError(
            "this manifest names no file: the export is empty",
            value=manifest.uri,
            remedy="wait for AWS to deliver, at most a day",
        )
    return named


def _found(items: Mapping[str, FileEntry], root: str, name: str, manifest: FileEntry) -> FileEntry:
    """The item a manifest means: below the same export, wherever that was copied to."""
    tail = re.split(r"(?:^|/)data/(?=billing_period=)", name.lower())[-1]
    item = items.get(f"{root}data/{tail}")
    if item is None:
        raise InputError(
            f"{manifest.uri} names a file that is not there",
            value=name,
            remedy="the delivery may be under way: run again later; the last good state stays",
        )
    return item


def _settled(manifest: FileEntry, found: Iterable[FileEntry]) -> None:
    """AWS overwrites the data first, the manifest last: in between, files are of two deliveries."""
    newest = max(found, key=lambda item: item.modified)
    recent = datetime.now(UTC) - newest.modified < UNDER_WAY
    if recent and newest.modified - manifest.modified > TOGETHER:
        raise InputError(
            "a delivery is under way: data is newer than its manifest",
            value=newest.uri,
            remedy="run again later; the last good state stays",
        )

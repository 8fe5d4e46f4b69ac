"""Finds which files at a location are the bill, by the folder layout of AWS Data Exports.

    <export>/data/BILLING_PERIOD=2026-09/[<execution>/]<export>-00001.snappy.parquet
    <export>/metadata/BILLING_PERIOD=2026-09/[<execution>/]<export>-Manifest.json

The manifest of a month is written after its data and names the files of one execution: nothing
else counts. Without any manifest a month's folder counts whole (its newest execution, where AWS
kept several), and without such folders all files are one delivery.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ingest.files.store import TABLES, FileEntry, Store, select_readable, with_utf8_names
from ingest.source import ALL
from models.contract.errors import InputError

MONTH = re.compile(r"^billing_period=(\d{4}-(?:0[1-9]|1[0-2]))$", re.IGNORECASE)
EXECUTION = re.compile(r"^\d{4}-?\d{2}-?\d{2}T[\d:.-]+Z?(-[\w-]+)?$")
MANIFEST = "manifest.json"
UNDER_WAY = timedelta(hours=1)
"""Data that stays newer than its manifest for this long was copied; no delivery is under way."""
SAME_WRITE = timedelta(minutes=1)
"""Files this close in time belong to one delivery."""


@dataclass(frozen=True)
class ExportPart:
    """One billing month of one AWS data export; `period` is `YYYY-MM`, or `all`.

    `other` is the month's second manifest, where it has its own and its last execution's.
    """

    unit: str
    period: str
    entries: tuple[FileEntry, ...] = ()
    manifest: FileEntry | None = None
    other: FileEntry | None = None


def export_parts(
    location: str, entries: list[FileEntry], *, described: str = ""
) -> list[ExportPart]:
    """Lists the exports and billing months at a location, in order; reads no manifest.

    `described` is the location for the error message where it holds no export.
    """
    name = _name(location)
    found = _parts_by_manifest(entries, name) or _parts_by_folder(
        select_readable(entries, TABLES), name
    )
    if not found:
        raise InputError(
            "no export found",
            value=described or location,
            remedy="check `location`; a new export arrives within a day",
        )
    return sorted(found, key=lambda part: (part.unit, part.period))


def left_out(location: str, entries: list[FileEntry]) -> list[ExportPart]:
    """Lists months and loose files that are not read: they lack a manifest, others have one."""
    name = _name(location)
    in_manifests = {(part.unit, part.period) for part in _parts_by_manifest(entries, name)}
    if not in_manifests:
        return []
    folders = _parts_by_folder([entry for entry in entries if entry.suffix in TABLES], name)
    without = [part for part in folders if (part.unit, part.period) not in in_manifests]
    return sorted(without, key=lambda part: (part.unit, part.period))


def _name(location: str) -> str:
    return location.rstrip("/").rpartition("/")[2] or location


def data_files(
    store: Store, part: ExportPart, entries: Mapping[str, FileEntry], notices: list[str]
) -> list[FileEntry]:
    """Returns an export's data files of a month: its manifest's, else the newest execution's.

    `entries` are all files of the store, by lower-case path. `notices` grows by a line for a second
    manifest that names other files. Raises `InputError` while a delivery is under way, where the
    manifest cannot be read as one, or where times do not tell which of two is newer.
    """
    if part.manifest is None:
        return list(part.entries)
    root = part.manifest.path.lower().rpartition("metadata/")[0]
    names = _data_files(store, part.manifest)
    found = [*dict.fromkeys(_resolve(entries, root, name, part.manifest) for name in names)]
    _refuse_under_way(part.manifest, found)
    if part.other and set(names) != set(_data_files(store, part.other)):
        _refuse_same_time(part.manifest, part.other)
        older = part.other.path
        notices.append(f"{part.unit}, {part.period}: an older manifest is passed over: {older}")
    return select_readable(found, TABLES, all_of_them=True)


def _refuse_same_time(manifest: FileEntry, other: FileEntry) -> None:
    """Raises `InputError` for manifests that were written, or copied, at about the same time."""
    if abs(manifest.modified - other.modified) <= SAME_WRITE:
        raise InputError(
            f"{manifest.uri} and another manifest of its month name different files",
            value=other.uri,
            remedy="their times do not tell which is newer: copy with times, or remove the older",
        )


def _parts_by_manifest(entries: Iterable[FileEntry], name: str) -> list[ExportPart]:
    """Returns the exports' months that have a manifest, each with its newest one."""
    found: dict[tuple[str, str], dict[str, FileEntry]] = {}
    manifests = (entry for entry in entries if entry.path.lower().endswith(MANIFEST))
    for entry in with_utf8_names(manifests):
        folders = entry.path.split("/")[:-1]
        place = next((n for n, folder in enumerate(folders) if MONTH.match(folder)), 0)
        if place == 0 or folders[place - 1].lower() != "metadata":
            continue
        key = "/".join(folders[: place - 1]) or name, folders[place].partition("=")[2]
        found.setdefault(key, {})["/".join(folders[place + 1 :])] = entry
    return [_newest(key, executions) for key, executions in found.items()]


def _newest(key: tuple[str, str], executions: Mapping[str, FileEntry]) -> ExportPart:
    """Chooses a month's manifest: its own, or the last execution's where that is newer.

    AWS writes the month's own beside each execution's, or alone where executions overwrite each
    other. An export that is switched to the other way leaves an old one behind. Executions are
    compared by name, as copying may have moved their times.
    """
    of_month, last = executions.get(""), executions[max(executions)]
    if not of_month or last is of_month:
        return ExportPart(*key, manifest=last)
    newer = last.modified - of_month.modified > SAME_WRITE
    manifest, other = (last, of_month) if newer else (of_month, last)
    return ExportPart(*key, manifest=manifest, other=other)


def _parts_by_folder(entries: Iterable[FileEntry], name: str) -> list[ExportPart]:
    """Groups files by export and month folder (`BILLING_PERIOD=`); the others are one part."""
    groups: dict[tuple[str, str], list[FileEntry]] = {}
    for entry in entries:
        *folders, _ = entry.path.split("/")
        place = next((n for n, folder in enumerate(folders) if MONTH.match(folder)), None)
        if place is None:
            groups.setdefault((name, ALL), []).append(entry)
            continue
        under_data = place > 0 and folders[place - 1].lower() == "data"
        above = folders[: place - 1] if under_data else folders[:place]
        key = "/".join(above) or name, folders[place].partition("=")[2]
        groups.setdefault(key, []).append(entry)
    return [
        ExportPart(*key, entries=tuple(_newest_execution(group))) for key, group in groups.items()
    ]


def _newest_execution(entries: list[FileEntry]) -> list[FileEntry]:
    """Returns the files of an export's newest execution, where the folder has several."""

    def execution(entry: FileEntry) -> str:
        names = [folder for folder in entry.path.split("/")[:-1] if EXECUTION.match(folder)]
        return names[-1] if names else ""

    newest = max(map(execution, entries))
    return [entry for entry in entries if execution(entry) == newest]


def _data_files(store: Store, manifest: FileEntry) -> list[str]:
    """Returns the data files that a manifest names. Raises `InputError` if it names none."""
    try:
        named = json.loads(store.read(manifest))["dataFiles"]
    except (ValueError, KeyError, TypeError, RecursionError):
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


def _resolve(
    entries: Mapping[str, FileEntry], root: str, name: str, manifest: FileEntry
) -> FileEntry:
    """Returns the listed file that a manifest names, wherever the export was copied to."""
    relative = re.split(r"(?:^|/)data/(?=billing_period=)", name.lower())[-1]
    entry = entries.get(f"{root}data/{relative}")
    if entry is None:
        raise InputError(
            f"{manifest.uri} names a file that does not exist",
            value=name,
            remedy="the delivery may be under way: run again later; the last good state stays",
        )
    return entry


def _refuse_under_way(manifest: FileEntry, found: Iterable[FileEntry]) -> None:
    """Raises `InputError` if new data is over a minute newer than its export's manifest."""
    newest = max(found, key=lambda entry: entry.modified)
    recent = datetime.now(UTC) - newest.modified < UNDER_WAY
    if recent and newest.modified - manifest.modified > SAME_WRITE:
        raise InputError(
            "a delivery is under way: data is newer than its manifest",
            value=newest.uri,
            remedy="run again later; the last good state stays",
        )

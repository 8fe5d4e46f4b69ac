"""Records new origins and versions of a delivery's files whose content did not change.

A file that was touched, or a log that grew by what is not read, has another version (ETag, time,
hash) and the same rows. `_versions.jsonl` beside the marker gets a line from each pull that found
one, so that the next pull does not read the file again:

    {"at": "2026-10-31T06:00:09+00:00",
     "files": [{"sha256": "9f86…", "origin": "s3://logs/a.jsonl", "etag": "5d41…:812"}]}

Only appended to: the delivery itself stays as it was sealed. A line that a crash cut off is
skipped, and its files are read once more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from models.raw import atomic_files
from models.raw.appended_lines import append_line
from models.raw.delivery import Delivery, File

VERSIONS = "_versions.jsonl"


def last_seen(delivery: Delivery, before: datetime | None = None) -> tuple[File, ...]:
    """Returns a delivery's files with the newest origin and version recorded for them.

    With `before`, what was seen from that time on is left out.
    """
    by_content = {file.sha256: file for file in delivery.files}
    lines = [
        line
        for line in _lines(delivery)
        if before is None or datetime.fromisoformat(line["at"]) < before
    ]
    newest = lines[-1]["files"] if lines else []
    return tuple(replace(by_content[one["sha256"]], **one) for one in newest) or delivery.files


def record_versions(delivery: Delivery, files: Iterable[File], at: datetime) -> None:
    """Appends a line of files' origins and versions to a delivery's log, if they changed."""
    now = [{"sha256": one.sha256, "origin": one.origin, "etag": one.etag} for one in files]
    if _pairs(files) == _pairs(last_seen(delivery)) or not any(one["etag"] for one in now):
        return
    path = delivery.folder / VERSIONS
    with atomic_files.write_errors(path):
        append_line(path, json.dumps({"at": at.isoformat(), "files": now}).encode())


def _pairs(files: Iterable[File]) -> set[tuple[str, str]]:
    return {(file.origin, file.etag) for file in files}


def _lines(delivery: Delivery) -> Iterator[dict[str, Any]]:
    path = delivery.folder / VERSIONS
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        with suppress(ValueError):  # cut off by a crash
            yield json.loads(line)

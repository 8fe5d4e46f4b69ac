"""Checks for free disk space: a build writes about as much again as the warehouse has."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, finding_of
from models.contract.errors import StorageError
from models.raw import atomic_files

NAME = "disk"
GIB = 1 << 30
LEAST = GIB // 10
"""With less free space than this no build can run; with less than `GIB`, soon none can."""


def check_disk(exam: Examination) -> Iterator[Finding]:
    """Checks that the warehouse's folder can be written to and has room for a build."""
    folder = exam.settings.data
    there = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with atomic_files.write_errors(there), tempfile.TemporaryFile(dir=there):
            free = shutil.disk_usage(there).free
    except StorageError as error:
        exam.unwritable = True
        yield finding_of(NAME, str(folder), error)
        return
    yield _room(folder, free, max(GIB, _held(folder)))


def _held(folder: Path) -> int:
    """Sums the bytes of all files below a folder, without those that a pull removes meanwhile."""
    held = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                held += Path(parent, name).stat().st_size
    return held


def _room(folder: Path, free: int, needed: int) -> Finding:
    room = f"{free / GIB:.1f} GiB free"
    if free >= needed:
        return Finding(NAME, str(folder), "ok", room)
    return Finding(
        NAME,
        str(folder),
        "blocks" if free < LEAST else "warning",
        f"{room}, and a build may need {needed / GIB:.1f}",
        "free some space, lower raw.keep_days, or set warehouse.path elsewhere",
    )

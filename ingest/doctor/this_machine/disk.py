"""Checks for free disk space: a build writes about as much again as the warehouse has."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
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
    held = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    yield _room(folder, free, max(GIB, held))


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

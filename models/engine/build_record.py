"""Records how the last build ended in `build.json` next to the warehouse, for monitoring."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from models.contract.errors import StorageError
from models.raw import atomic_files

FILE = "build.json"
LOG = logging.getLogger(__name__)


@dataclass
class BuildRecord:
    """When a build was last tried and last succeeded (UTC), whether it failed, seconds and rows.

    `seconds` and `lines` (rows of the deliveries that count) are those of the last success; None
    before the first.
    """

    last_attempt: str = ""
    failed: bool = False
    last_success: str = ""
    seconds: float | None = None
    lines: int | None = None


@contextmanager
def recorded(folder: Path) -> Iterator[BuildRecord]:
    """Yields a build record for the caller to complete; writes it even if the build fails.

    A record that cannot be written is logged; a full disk is the build's own failure.
    """
    began, record = time.monotonic(), read_build_record(folder)
    record.last_attempt, record.failed = _now(), True
    try:
        yield record
        record.last_success, record.failed = _now(), False
        record.seconds = round(time.monotonic() - began, 3)
    finally:
        try:
            atomic_files.replace_json(folder / FILE, asdict(record), mode=0o600)
        except StorageError as error:
            LOG.warning("%s", error)


def read_build_record(folder: Path) -> BuildRecord:
    """Reads the record of the last build; an empty one before the first, or if damaged."""
    try:
        return BuildRecord(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return BuildRecord()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

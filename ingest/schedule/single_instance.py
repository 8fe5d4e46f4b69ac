"""Lets only one scheduler run, by a lock file: two would pay AWS twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from models.config.settings import Settings
from models.contract.errors import BusyError
from models.raw import atomic_files

LOCK = "scheduler.lock"
HOLDER = "scheduler.json"


@contextmanager
def single_instance(settings: Settings) -> Iterator[None]:
    """Holds the lock that lets only one scheduler run. Raises `BusyError` if another has it."""
    folder = settings.data
    lock = FileLock(folder / LOCK, timeout=0, mode=0o600)
    try:
        with atomic_files.write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
    except Timeout:
        raise BusyError(
            "a scheduler is running already", value=_holder(folder), remedy="stop it first"
        ) from None
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        atomic_files.replace_json(folder / HOLDER, {"pid": os.getpid(), "since": since})
        yield
    finally:
        (folder / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    try:
        found = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        return f"process {found['pid']} since {found['since']}"
    except (OSError, ValueError, KeyError):
        return f"the holder of {folder / LOCK}"

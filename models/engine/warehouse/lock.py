"""The lock of the warehouse's only writer; a file names its holder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from models.contract.errors import BusyError
from models.raw import atomic_files


@contextmanager
def lock(folder: Path, *, purpose: str, wait: float = 0) -> Iterator[None]:
    """Holds a warehouse folder's writer lock; `BusyError` if it is not free within `wait` seconds.

    A `wait` of -1 waits for ever. While the lock is held, `writer.json` names its holder.
    """
    with atomic_files.write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    holder = folder / "writer.json"
    held = FileLock(folder / "writer.lock", timeout=wait, mode=0o600)
    try:
        with atomic_files.write_errors(folder):
            held.acquire()
    except Timeout:
        raise BusyError(
            f"another process is writing {folder}",
            value=_holder(holder),
            remedy="wait until it is done, or stop it",
        ) from None
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        atomic_files.replace_json(holder, {"pid": os.getpid(), "verb": purpose, "since": since})
        yield
    finally:
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        held.release()


def _holder(file: Path) -> str:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return f"process {found['pid']}, `breakeven {found['verb']}` since {found['since']}"
    except (OSError, ValueError, KeyError):
        return "unknown process"

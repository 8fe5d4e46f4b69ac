"""Remembers the sessions that were signed out, so that copies of their cookies are refused.

They are one file beside the warehouse, which every process of the server reads when it changes.
"""

from __future__ import annotations

import time
from pathlib import Path

from filelock import FileLock

from models.raw import atomic_files
from models.raw.watched_json import WatchedJson

FILE, LOCK = "ended_sessions.json", "ended_sessions.lock"


class EndedSessions:
    """The ids of sessions that were signed out, kept until the sessions would have expired."""

    def __init__(self, data: Path) -> None:
        self._data, self._file = data, WatchedJson(data / FILE)

    def __contains__(self, session_id: object) -> bool:
        return session_id in self._file.read()

    def add(self, session_id: str, until: float) -> None:
        """Stores a signed-out session's id until its expiry; `StorageError` if that fails."""
        path = self._data / FILE
        with atomic_files.write_errors(path), FileLock(self._data / LOCK, mode=0o600):
            lasting = {k: v for k, v in self._file.read().items() if v > time.time()}
            atomic_files.replace_json(path, {**lasting, session_id: until}, mode=0o600)

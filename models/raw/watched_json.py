"""Reads a small JSON file that other processes replace; parses it only when it has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from models.contract.errors import StorageError


class WatchedJson:
    """Reads the JSON object in a file that others replace; parses it again only if it changed.

    It is safe between threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[tuple[int, ...], dict[str, Any]] = ((), {})

    def read(self) -> dict[str, Any]:
        """Returns the file's current object, parsed only if the file changed; {} without a file.

        Raises `StorageError` where the file is no JSON object. Asks for the file's state each time,
        some microseconds, and reads it where that differs.
        """
        state = self._state()
        if state != self._read[0]:
            self._read = state, self._parsed() if state else {}
        return self._read[1]

    def _state(self) -> tuple[int, ...]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StorageError(f"cannot read {self._path}", value=error.strerror) from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _parsed(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise StorageError(
                f"cannot read {self._path}", value="no JSON object", remedy="restore a backup of it"
            )
        return found

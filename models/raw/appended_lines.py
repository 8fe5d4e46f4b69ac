"""Reads an append-only file from where it was last left, so that each line is read once."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class AppendedLines(NamedTuple):
    """Whole lines that were not read before; `replaced` if they are all lines of a new file."""

    lines: list[bytes]
    replaced: bool = False


class AppendOnlyReader:
    """Reads the lines of a file from its beginning, each once. Not safe between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        self._first = b""

    def read_new(self) -> AppendedLines:
        """Returns the lines appended since the last call; an unfinished last line comes later."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        if size == self._read:
            return AppendedLines([])
        if not size:
            self._read = 0
            return AppendedLines([], replaced=True)
        with self.path.open("rb") as file:
            replaced = self._is_replaced(file.read(len(self._first)), size)
            file.seek(self._read)
            whole, end, _ = file.read(size - self._read).rpartition(b"\n")
        self._first = self._first or whole.partition(b"\n")[0]
        self._read += len(whole) + len(end)
        return AppendedLines(whole.splitlines(), replaced)

    def _is_replaced(self, beginning: bytes, size: int) -> bool:
        """Whether another file took its place: a shorter one, or one with another first line."""
        if size > self._read and beginning == self._first:
            return False
        self._read, self._first = 0, b""
        return True

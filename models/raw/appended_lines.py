"""Appends lines to a file that only grows, and reads only its new lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, NamedTuple


def append_line(path: Path, text: bytes) -> None:
    """Appends a line to a file and waits until the disk has it.

    A last line that a crash cut off is ended first, or the new one would be lost with it.
    """
    with path.open("a+b") as file:
        file.write((b"\n" if _is_torn(file) else b"") + text + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _is_torn(file: BinaryIO) -> bool:
    if not file.seek(0, os.SEEK_END):
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


class AppendedLines(NamedTuple):
    """Complete lines added to an append-only file since the last read.

    `replaced` says that a new file has taken the old one's place; the lines are then all of its
    lines.
    """

    lines: list[bytes]
    replaced: bool = False


class AppendOnlyReader:
    """Reads new lines of a growing append-only file; all lines again if the file was replaced.

    It is not safe between threads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        self._first = b""

    def read_new(self) -> AppendedLines:
        """Returns the complete lines added since the last call; all if the file was replaced."""
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
        """Returns whether a shorter or other file replaced this one; if so, starts over."""
        if size > self._read and beginning == self._first:
            return False
        self._read, self._first = 0, b""
        return True

"""A file that is only appended to, read on from where it was left."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class News(NamedTuple):
    """Whole lines that were not read before; `anew` where they are all, of another file there."""

    lines: list[bytes]
    anew: bool = False


class Tail:
    """The lines of `path` from its beginning, each once. Not safe between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        self._first = b""

    def news(self) -> News:
        """What came since the last call; a line that is not ended yet comes when it is."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        if size == self._read:
            return News([])
        if not size:
            self._read = 0
            return News([], anew=True)
        with self.path.open("rb") as file:
            anew = self._begun_anew(file.read(len(self._first)), size)
            file.seek(self._read)
            whole, end, _ = file.read(size - self._read).rpartition(b"\n")
        self._first = self._first or whole.partition(b"\n")[0]
        self._read += len(whole) + len(end)
        return News(whole.splitlines(), anew)

    def _begun_anew(self, beginning: bytes, size: int) -> bool:
        """Whether another file stands there: a shorter one, or one of another first line."""
        if size > self._read and beginning == self._first:
            return False
        self._read, self._first = 0, b""
        return True

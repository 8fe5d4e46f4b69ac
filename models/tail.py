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

    def news(self) -> News:
        """What came since the last call; a line that is not ended yet comes when it is."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        anew = size < self._read
        self._read = 0 if anew else self._read
        if size == self._read:
            return News([], anew)
        with self.path.open("rb") as file:
            file.seek(self._read)
            whole, end, _ = file.read(size - self._read).rpartition(b"\n")
        self._read += len(whole) + len(end)
        return News(whole.splitlines(), anew)

"""Rewrites a CSV file whose lines end in CRLF and in LF, which DuckDB does not read."""

from __future__ import annotations

import gzip
from pathlib import Path

from models.intake.malformed_files import LONGEST_LINE


def with_one_line_end(source: Path, target: Path) -> bool:
    """Writes a CSV file (plain or gzip) with LF at the end of every line outside quotes.

    Returns whether the file had both ends; if not, or if a line is too long to read, the copy is of
    no use.
    """
    packed = source.name.lower().endswith(".gz")
    ends: set[bool] = set()
    quoted = False
    with gzip.open(source) if packed else source.open("rb") as lines, target.open("wb") as copy:
        while line := lines.readline(LONGEST_LINE + 1):
            quoted ^= line.count(b'"') % 2 == 1
            if not quoted and line.endswith(b"\n"):
                ends.add(line.endswith(b"\r\n"))
                line = line.removesuffix(b"\n").removesuffix(b"\r") + b"\n"
            copy.write(line)
    return len(ends) == 2

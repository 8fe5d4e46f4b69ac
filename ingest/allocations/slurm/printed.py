"""Reads what `sacct -P` and `sacctmgr -P` print: a header, then one line per row.

The first lines may be comments of `key=value`, which our script on the head node writes: cluster,
day and time of asking. The separator is the one that the header has: names of jobs may hold a `|`.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from ingest.allocations.refusals import Line
from models.contract.errors import InputError
from models.intake.malformed_files import repeated_column, shown

GZIP = b"\x1f\x8b"
OURS = "\x1f"
"""The separator of our script: no name or comment of a job holds it."""
SEPARATORS = (OURS, "|", ",")
PAIR = re.compile(r"(\w+)=(\S+)")
WHOLE = "let cron write it again: first to another name, then rename"
DELIMITED = "print with --delimiter=$'\\x1f', as our script does"


@dataclass(frozen=True)
class Printed:
    """A table as Slurm's tools print it: comments as `key=value`, columns, numbered lines."""

    origin: str
    about: Mapping[str, str]
    columns: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...]

    def rows(self) -> Iterator[tuple[Line, dict[str, str]]]:
        """Yields, per line of a printed table, its place in the file and its values by column."""
        for number, values in self.lines:
            yield Line(self.origin, number), dict(zip(self.columns, values, strict=True))

    def has(self, *columns: str) -> bool:
        """Whether a printed table has all of the given columns."""
        return set(columns) <= set(self.columns)


def read_printed(origin: str, content: bytes, *, ends_in_text: bool = False) -> Printed:
    """Parses a table that Slurm's tools printed. Raises `InputError` if it is cut off or malformed.

    So it does where a column appears twice: nobody knows which of the two counts. With
    `ends_in_text` the last column may hold the separator, and line breaks.
    """
    lines = _text(origin, content).split("\n")
    if lines[-1]:
        raise Line(origin, len(lines)).refuse("the line is cut off", lines[-1], WHOLE)
    comments = list(takewhile(_says_nothing, lines))
    about = {key: value for line in comments for key, value in PAIR.findall(line)}
    body = list(enumerate(lines, 1))[len(comments) :]
    if not body:
        raise InputError(f"{origin} has no header", value="it is empty", remedy=WHOLE)
    separator = next((sign for sign in SEPARATORS if sign in body[0][1]), "|")
    columns = tuple(body[0][1].split(separator))
    if twice := repeated_column(columns):
        problem = f"{origin}: a column appears twice"
        raise InputError(problem, value=shown(twice), remedy="print it once")
    most = len(columns) - 1 if ends_in_text else -1
    breaks = len(columns) - 1 if separator == OURS or ends_in_text else 0
    rows = _joined(body[1:], separator, breaks, breaks if ends_in_text else min(breaks, 1))
    split = ((number, tuple(line.split(separator, most))) for number, line in rows)
    return Printed(origin, about, columns, tuple(_whole(origin, columns, each) for each in split))


def _says_nothing(line: str) -> bool:
    return not line or line.startswith("#")


def _joined(
    lines: Iterable[tuple[int, str]], separator: str, breaks: int, least: int
) -> Iterator[tuple[int, str]]:
    """Yields (line number, text) per row; joins lines where a text in it has line breaks.

    That can be told where a row has `breaks` separators, and a line of fewer than `least` begins
    none: both are 0 for other files.
    """
    row: tuple[int, str] | None = None
    for number, line in lines:
        is_open = row is not None and least <= row[1].count(separator) < breaks
        if _says_nothing(line) and not is_open:
            continue
        if row and (is_open or line.count(separator) < least):
            row = row[0], f"{row[1]}\n{line}"
            continue
        if row:
            yield row
        row = number, line
    if row:
        yield row


def _whole(
    origin: str, columns: tuple[str, ...], line: tuple[int, tuple[str, ...]]
) -> tuple[int, tuple[str, ...]]:
    """Returns a line; raises `InputError` if it has fewer or more values than the header."""
    number, values = line
    if len(values) == len(columns):
        return line
    shown = (
        f"{len(values)} of {len(columns)} columns, {values[0]} {values[min(1, len(values) - 1)]}"
    )
    remedy = WHOLE if len(values) < len(columns) else DELIMITED
    raise Line(origin, number).refuse("the line does not fit its header", shown, remedy)


def _text(origin: str, content: bytes) -> str:
    if content.startswith(GZIP):
        raise InputError(f"{origin} is packed", value="gzip", remedy="unpack it")
    try:
        return content.removeprefix(BOM_UTF8).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = Line(origin, content.count(b"\n", 0, error.start) + 1)
        byte = f"byte 0x{content[error.start]:02x}"
        raise line.refuse("it is not UTF-8", byte, "write it with LC_ALL=C.UTF-8") from None

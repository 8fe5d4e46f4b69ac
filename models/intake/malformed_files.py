"""Finds what is wrong with a malformed CSV or JSON file, and says so in words.

Called only after DuckDB could not read the file, or for the header alone. The file is read line by
line, and the first malformed line is named with its number, not its text: a line may hold anything.
Values are not checked.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

SHOWN = 80
"""Characters of a value that are shown: enough to find it."""
LONGEST_LINE = 1 << 21
"""Bytes of a line; DuckDB reads as much, and holds some of these at a time."""
LARGEST_FIELD = 1 << 20
"""Bytes of one value."""
WHOLE = "deliver the file again, whole"
CORRECT = "correct the file and deliver it again"
UTF_8 = "save it as UTF-8 and deliver it again"
COMMAS = "deliver it with commas"
ONCE = "deliver it once"
SEPARATORS = {";": "';'", "\t": "tabs", "|": "'|'"}
TOO_LONG = "field larger than field limit"
"""How Python says that a value is longer than `csv.field_size_limit`."""
LINE_END = re.compile(r"(?<=\r)(?=[^\n])")
"""After a CR that no LF follows, as some spreadsheets end lines."""
Lines = Iterable[tuple[int, str]]
csv.field_size_limit(LARGEST_FIELD)


@dataclass(frozen=True)
class Malformed:
    """What is wrong with a malformed CSV, JSON or Parquet file, and what to do about it."""

    problem: str
    remedy: str


class _Found(Exception):  # noqa: N818 - the way out of a loop, never seen outside
    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.wrong = Malformed(problem, remedy)


def bad_header(source: Path) -> Malformed | None:
    """Returns what is wrong with a CSV header (separator, repeated column); None if nothing."""
    return _first(source, lambda file: _header(_names(file)))


def repeated_column(names: Iterable[str]) -> str | None:
    """Returns the first column name that repeats an earlier one, ignoring case; None if none.

    Of two such columns a reader gives another name to the second, whose values nobody would read.
    """
    seen: set[str] = set()
    for name in filter(None, names):
        if name.strip().casefold() in seen:
            return name
        seen.add(name.strip().casefold())
    return None


def emptiness(source: Path) -> Malformed | None:
    """Returns an error if a file has no bytes; None if it has any."""
    return _first(source, _any_byte)


def columns(source: Path) -> list[str]:
    """Returns the column names of a CSV file's header, in order; [] if there is no header."""
    with gzip.open(source) if source.name.lower().endswith(".gz") else source.open("rb") as file:
        return [name.strip() for name in _names(file)]


def line_of(source: Path, row: int) -> int | None:
    """Returns the line number on which a row of a CSV file begins; None if there is none.

    Row 0 is the first row below the header. A file that is no CSV has none.
    """
    if not source.is_file() or not source.name.lower().endswith((".csv", ".csv.gz")):
        return None
    found: list[int] = []
    below = row + 1
    _first(source, lambda file: found.extend(islice(_beginnings(file), below, below + 1)))
    return next(iter(found), None)


def first_bad_csv_line(source: Path) -> Malformed | None:
    """Returns what is wrong with a CSV file's first bad line or gzip data; None if nothing."""
    return _first(source, lambda file: _rows(_lines(file)))


def first_bad_json_line(source: Path) -> Malformed | None:
    """Returns what is wrong with a JSON Lines file's first bad line; None if nothing."""
    return _first(source, lambda file: _objects(_lines(file)))


def _first(source: Path, check: Callable[[io.BufferedIOBase], None]) -> Malformed | None:
    packed = source.name.lower().endswith(".gz")
    try:
        with gzip.open(source) if packed else source.open("rb") as file:
            check(file)
    except _Found as found:
        return found.wrong
    except EOFError:
        return Malformed("the file is cut off: its gzip data ends too early", WHOLE)
    except (gzip.BadGzipFile, zlib.error) as error:
        bare = "Not a gzipped" in str(error)
        return Malformed("this is not gzip data" if bare else "its gzip data is damaged", WHOLE)
    return None


def _names(file: io.BufferedIOBase) -> list[str]:
    text = (line.decode("utf-8-sig", "replace") for line in _read_lines(file))
    try:
        return next((row for row in csv.reader(text) if row), [])
    except csv.Error:
        return []  # the reader will say what it cannot read


def _any_byte(file: io.BufferedIOBase) -> None:
    if not file.read(1):
        raise _Found("it is empty", WHOLE)


def _header(names: list[str]) -> None:
    for sign, called in SEPARATORS.items():
        if len(names) == 1 and sign in names[0]:
            raise _Found(f"the columns are separated by {called}", COMMAS)
    if name := repeated_column(names):
        raise _Found(f"the column {shown(name)} appears twice", ONCE)


def _lines(file: io.BufferedIOBase) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_read_lines(file), 1):
        if len(line) > LONGEST_LINE:
            raise _Found(f"line {number} is longer than 2 MiB", CORRECT)
        if number == 1 and line.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise _Found("the file is UTF-16, not UTF-8", UTF_8)
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            byte = f"byte 0x{line[error.start]:02x} at place {error.start + 1}"
            raise _Found(f"line {number} is not UTF-8, {byte}", UTF_8) from None


def _read_lines(file: io.BufferedIOBase) -> Iterator[bytes]:
    """Yields a file's lines; a line longer than `LONGEST_LINE` is split into several."""
    return iter(partial(file.readline, LONGEST_LINE + 1), b"")


def _rows(lines: Lines) -> None:
    held: list[str] = []
    rows = csv.reader(_collected_lines(lines, held), strict=True)
    width, began = 0, 1
    try:
        for row in rows:
            width = width or len(row)
            if row and len(row) != width:
                raise _Found(_ragged(began, len(row), width), CORRECT)
            began = rows.line_num + 1
            held.clear()
    except csv.Error as error:
        if TOO_LONG in str(error):
            raise _Found(f"a value of line {began} is longer than 1 MiB", CORRECT) from None
        there = len(next(csv.reader(held[:1])))
        problem = f"a quote of line {began} is not closed where it should be"
        if width not in (0, there):
            problem = f"{_ragged(began, there, width)} and a quote that is not closed in its place"
        raise _Found(problem, CORRECT) from None


def _beginnings(file: io.BufferedIOBase) -> Iterator[int]:
    """Yields the line number on which each row of a CSV file begins, the header's first.

    It stops at a value that is longer than 1 MiB.
    """
    began, rows = 1, csv.reader(_collected_lines(_lines(file), []))
    with suppress(csv.Error):  # a value of more than 1 MiB
        for row in rows:
            if row:
                yield began
            began = rows.line_num + 1


def _ragged(line: int, values: int, columns: int) -> str:
    return f"line {line} has {values} values where the header names {columns}"


def _collected_lines(lines: Lines, held: list[str]) -> Iterator[str]:
    """Yields each line of a CSV file, split at bare CR too, and appends it to `held`."""
    for _, text in lines:
        for line in LINE_END.split(text):
            held.append(line)
            yield line


def _objects(lines: Lines) -> None:
    number = 0
    for number, line in lines:
        try:
            found = json.loads(line, object_pairs_hook=_Pairs) if line.strip() else _Pairs()
        except (ValueError, RecursionError):
            raise _Found(f"line {number} is not JSON", CORRECT) from None
        if not isinstance(found, _Pairs):
            raise _Found(f"line {number} is not a JSON object", CORRECT)
        names = [name for name, _ in found]
        if len(names) != len(set(names)):
            raise _Found(f"line {number} gives a name twice", CORRECT)
    if not number:
        raise _Found("it holds no line", WHOLE)


class _Pairs(list[tuple[str, object]]):
    """The name-value pairs of a parsed JSON object, with repeated names preserved."""


def shown(value: str) -> str:
    """Returns a value cut to 80 characters for a message, dots for unprintable characters."""
    text = "".join(sign if sign.isprintable() else "\N{MIDDLE DOT}" for sign in value.strip())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"

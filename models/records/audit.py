"""Writes and checks the audit trail `audit.jsonl`: who did what, from where, with what outcome.

One JSON object a line, only appended. Each holds the SHA-256 of the line before it (`previous`),
and `audit.json` the number of lines and the SHA-256 of the last: a line lost or changed is found.
An act has two lines, one before it begins and one with its outcome; if the first cannot be written,
the act does not happen. Times are UTC.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock

from models.access.acting import actor, require
from models.access.person import Role
from models.contract.errors import BreakevenError
from models.contract.safe_text import on_one_line, without_credentials
from models.raw import atomic_files
from models.raw.appended_lines import append_line

FILE, HEAD, LOCK = "audit.jsonl", "audit.json", "audit.lock"
BEGINS, DONE, FAILED = "begins", "done", "failed"
LAST_BYTES = 1 << 16
"""Bytes read from the end of the file to find its last line, which is always shorter."""
LONGEST = 2000
"""Characters of one value of a line."""
NEWEST_BYTES = 1 << 20
"""Bytes at the end of the file that are read for its newest lines."""
OF_EVERY_LINE = ("at", "who", "role", "from", "what", "outcome", "previous")
Line = dict[str, Any]


@contextmanager
def audited(
    data: Path, what: str, about: Mapping[str, object], *, role: Role = "viewer"
) -> Iterator[None]:
    """Writes a begin line to the audit trail, checks the role, and writes the outcome line.

    Raises `StorageError` before the act where the trail cannot be written, and `AccessError` where
    who acts may not do what `role` may.
    """
    record(data, what, BEGINS, about)
    outcome = FAILED
    try:
        require(role)
        yield
        outcome = DONE
    except BreakevenError as error:
        outcome = f"refused: {error}"
        raise
    finally:
        record(data, what, outcome, about)


def record(data: Path, what: str, outcome: str, about: Mapping[str, object]) -> None:
    """Appends a line (who, what, outcome) to the audit trail, and waits until the disk has it."""
    who = actor()
    line = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "who": who.who,
        "role": who.role,
        "from": who.origin,
        "what": what,
        **about,
        "outcome": outcome,
    }
    path = data / FILE
    with atomic_files.write_errors(path):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(data / LOCK, mode=0o600):
            path.touch(mode=0o600)
            count, last = _end(path, data / HEAD)
            chained = {name: _safe(value) for name, value in line.items()} | {"previous": last}
            text = json.dumps(chained).encode()
            counted = {"lines": count + 1, "last": sha256(text).hexdigest()}
            with _taken_back_on_failure(path):
                append_line(path, text)
                atomic_files.replace_json(data / HEAD, counted, mode=0o600)


@contextmanager
def _taken_back_on_failure(path: Path) -> Iterator[None]:
    """Truncates the trail to its old length if writing a line or the line count fails.

    Else each attempt on a full disk leaves one line more, which looks like lines that were lost.
    """
    size = path.stat().st_size
    try:
        yield
    except (OSError, BreakevenError):
        os.truncate(path, size)
        raise


def _safe(value: object) -> object:
    """Returns a value with line breaks and credentials removed, and long text cut."""
    if isinstance(value, str):
        return on_one_line(without_credentials(value))[:LONGEST]
    if isinstance(value, list | tuple):
        return [_safe(each) for each in value]
    return value


def _end(path: Path, head: Path) -> tuple[int, str]:
    """Returns the number of lines, and the SHA-256 of the last, which the next line stores.

    That is of the last line, also where a crash kept it out of the count. Where the last line that
    was counted was changed or lost it is of that one as it was, so that `faults` names it for ever.
    """
    last_hashes = [
        sha256(text).hexdigest() for text in _last_bytes(path, LAST_BYTES).splitlines()[-2:]
    ]
    last = last_hashes[-1] if last_hashes else ""
    known = read_head(head)
    if known is None:
        return len(path.read_bytes().splitlines()), last
    if known["last"] == last:
        return known["lines"], last
    count = max(len(path.read_bytes().splitlines()), known["lines"])
    return count, last if known["last"] in last_hashes else known["last"]


def read_head(head: Path) -> Line | None:
    """Returns the line count and last SHA-256 from a file; None if unreadable."""
    try:
        found = json.loads(head.read_text(encoding="utf-8"))
        return {"lines": int(found["lines"]), "last": str(found["last"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _last_bytes(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(file.tell() - count, 0))
        return file.read()


def lines(data: Path, since: str = "") -> list[Line]:
    """Reads the audit trail from a time (ISO) on, oldest first; skips lines that are no JSON."""
    found = []
    for text in _texts(data):
        line = parsed(text)
        if line is not None and str(line.get("at", "")) >= since:
            found.append(line)
    return found


def newest(data: Path, count: int) -> list[Line]:
    """Reads up to `count` newest lines of the audit trail, newest first, from the file's end."""
    path = data / FILE
    texts = _last_bytes(path, NEWEST_BYTES).splitlines() if path.is_file() else []
    return [line for text in reversed(texts[-count:]) if (line := parsed(text)) is not None]


def about(line: Line) -> str:
    """Returns text such as `month=2026-10 by=ann` from an audit line's own fields."""
    return " ".join(f"{name}={value}" for name, value in line.items() if name not in OF_EVERY_LINE)


def faults(data: Path) -> list[str]:
    """Lists texts on where lines of the audit trail were changed or are missing."""
    found, before, texts = [], "", _texts(data)
    for number, text in enumerate(texts, start=1):
        line = parsed(text)
        if line is None:
            found.append(f"line {number} is not a record: it was cut off or changed")
        elif line.get("previous") != before:
            place = f"line {number - 1} was changed, or lines" if number > 1 else "lines"
            found.append(f"{place} before line {number} are lost")
        before = sha256(text).hexdigest()
    return found + _lost_at_the_end(data, texts)


def _lost_at_the_end(data: Path, texts: list[bytes]) -> list[str]:
    head = read_head(data / HEAD)
    if head is None:
        return [f"{HEAD} is lost: whether the last lines are there is unknown"] if texts else []
    if head["lines"] > len(texts):
        return [f"{head['lines'] - len(texts)} lines after line {len(texts)} are lost"]
    # a crash between line and head leaves one line more
    ends = [sha256(text).hexdigest() for text in texts[head["lines"] - 1 :]]
    known = head["last"] in ends[:1] or head["lines"] == 0
    return [] if known else [f"line {head['lines']} was changed"]


def parsed(text: bytes) -> Line | None:
    """Parses a line of the audit trail; None if it is not a JSON object."""
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _texts(data: Path) -> list[bytes]:
    path = data / FILE
    return path.read_bytes().splitlines() if path.is_file() else []

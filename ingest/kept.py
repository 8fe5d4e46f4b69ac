"""Answers that were paid for and are not delivered yet: a pull that is cut off pays for none twice.

A *read* is all that one source asks in one pull. Each paid answer lies on disk before the next one
is asked for, in `answers/<source>/` beside the warehouse, and so does what was decided by it. The
next pull that asks the same, of the same day, goes through it again without asking, and on from
where it stopped. A read is one picture of the bill: it is thrown away whole where the pull came to
its end, where something else is asked, on another day, and after `GOOD`.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from models import disk

FOLDER = "answers"
BEGUN = "begun.json"
NOTES = "notes.json"
GOOD = timedelta(hours=8)
"""AWS recomputes a bill up to three times a day (AWS.md §1.6); older answers may be another's."""
T = TypeVar("T")


@dataclass(frozen=True)
class Kept:
    """What one source was answered in a read that has not ended; `about` is what makes it one."""

    folder: Path
    about: Mapping[str, str]

    def answer(self, question: object, ask: Callable[[], T], *, after: str = "") -> T:
        """What is known of `question`, else what `ask` says, which is known from then on.

        Both are JSON. `after` is the token of one page among those that answer the question.
        """
        path = self.folder / _mark(question) / f"{_mark(after)}.json.gz"
        with suppress(OSError, EOFError, ValueError):  # not there, or not whole
            found: T = json.loads(gzip.decompress(path.read_bytes()))
            return found
        told = ask()
        self._begin()
        _write(path, told)
        return told

    def drop(self, question: object) -> None:
        """Forgets every page that answers the question: AWS says they are of two answers."""
        _remove(self.folder / _mark(question))

    def over(self) -> None:
        """Ends the read: what it brought is sealed."""
        if not self.folder.is_dir():
            return
        with disk.writing(self.folder):
            _remove(self.folder / BEGUN)  # first: without it the rest is nobody's
            for path in self.folder.glob("*"):
                if path.name != NOTES:
                    _remove(path)

    @property
    def notes(self) -> dict[str, int]:
        """What outlasts the read: numbers by name."""
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads((self.folder / NOTES).read_text(encoding="utf-8"))
            return found
        return {}

    def note(self, notes: Mapping[str, int]) -> None:
        """Says them anew."""
        disk.replace(self.folder / NOTES, notes)

    def _begin(self) -> None:
        path = self.folder / BEGUN
        if not path.exists():
            at = datetime.now(UTC).isoformat(timespec="seconds")
            disk.replace(path, {"at": at, "about": self.about})

    def _good(self, now: datetime) -> bool:
        """Whether the read that lies there is this one, and may go on."""
        with suppress(OSError, ValueError, KeyError):
            begun = json.loads((self.folder / BEGUN).read_text(encoding="utf-8"))
            age = now - datetime.fromisoformat(begun["at"])
            return begun["about"] == self.about and abs(age) < GOOD
        return False


def resumed(data: Path, name: str, about: Mapping[str, str]) -> Kept:
    """The read of this name: what is kept of it, or nothing where that is another's or too old."""
    kept = Kept(data / FOLDER / name, about)
    if not kept._good(datetime.now(UTC)):
        kept.over()
    return kept


def sweep(data: Path) -> None:
    """Removes what nobody has gone on with."""
    for begun in (data / FOLDER).glob(f"*/{BEGUN}"):
        written = datetime.fromtimestamp(begun.stat().st_mtime, UTC)
        if datetime.now(UTC) - written > GOOD:
            Kept(begun.parent, {}).over()


def _mark(question: object) -> str:
    return sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:32]


def _write(path: Path, told: object) -> None:
    with disk.writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with disk.whole(path) as draft, draft.open("wb") as file:
            file.write(gzip.compress(json.dumps(told).encode(), compresslevel=1))
            file.flush()
            os.fsync(file.fileno())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)

"""Answers that were paid for and are not delivered yet: a pull that is cut off pays for none twice.

A *read* is all that one source asks in one pull. Each paid answer lies on disk before the next one
is asked for, in `answers/<source>/` beside the warehouse, and so does what was decided by it. The
next pull that asks the same, of the same day, goes through it again without asking, and on from
where it stopped. A read is one picture of the bill: it is thrown away whole where the pull came to
its end, where something else is asked, on another day, and after `GOOD`; only what *waits* for
another day, because the cap cut it off and its months no longer change, is gone on with then.
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
from typing import Any, TypeVar

from models.raw import disk

FOLDER = "answers"
BEGUN = "begun.json"
NOTES = "notes.json"
GOOD = timedelta(hours=8)
"""AWS recomputes a bill up to three times a day (AWS.md §1.6); older answers may be another's."""
WAITS = timedelta(days=35)
"""How long a read that waits is kept after a pull has gone on with it."""
TODAY = "today"
"""What `about` calls the day."""
T = TypeVar("T")


@dataclass(frozen=True)
class ResponseCache:
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

    def wait(self) -> None:
        """Lets a later day go on with the read: what it asks about no longer changes."""
        begun = self._begun()
        if begun:
            disk.replace(self.folder / BEGUN, {**begun, "waits": _now()})

    @property
    def carried(self) -> bool:
        """Whether the read was begun on an earlier day, or longer ago than a bill stands."""
        begun = self._begun()
        return bool(begun) and not self._fresh(begun)

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
            disk.replace(path, {"at": _now(), "about": self.about})

    def _begun(self) -> dict[str, Any]:
        """What is known of the read that lies there; nothing where there is none."""
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads((self.folder / BEGUN).read_text(encoding="utf-8"))
            return found
        return {}

    def _fresh(self, begun: Mapping[str, Any]) -> bool:
        return begun.get("about") == self.about and _within(begun.get("at"), GOOD)

    def _good(self) -> bool:
        """Whether the read that lies there is this one, and may go on."""
        begun = self._begun()
        alike = {**begun.get("about", {}), TODAY: None} == {**self.about, TODAY: None}
        return self._fresh(begun) or (alike and _within(begun.get("waits"), WAITS))


def open_cache(data: Path, name: str, about: Mapping[str, str]) -> ResponseCache:
    """The read of this name: what is kept of it, or nothing where that is another's or too old."""
    kept = ResponseCache(data / FOLDER / name, about)
    if not kept._good():
        kept.over()
    return kept


def sweep(data: Path) -> None:
    """Removes what nobody has gone on with."""
    for path in (data / FOLDER).glob(f"*/{BEGUN}"):
        left = ResponseCache(path.parent, {})
        begun = left._begun()
        if not (_within(begun.get("at"), GOOD) or _within(begun.get("waits"), WAITS)):
            left.over()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _within(at: str | None, span: timedelta) -> bool:
    """Whether an instant is no further away than `span`; a clock may have been set back."""
    with suppress(TypeError, ValueError):
        return abs(datetime.now(UTC) - datetime.fromisoformat(at or "")) < span
    return False


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

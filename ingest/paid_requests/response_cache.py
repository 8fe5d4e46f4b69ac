"""Keeps paid AWS responses on disk until their delivery is sealed, so no page is paid for twice.

The requests of one source in one pull are a *read*. Each response is written to `answers/<source>/`
beside the warehouse before the next request is made, and so is every decision that depended on it.
If the pull is interrupted, the next one that asks the same on the same day replays the read from
the cache and continues where it stopped.

A read is one consistent picture of the bill. All of it is removed when the pull ends, when the
requests differ, on another day, and after `GOOD`. Only a read that the daily cap cut off, and that
is about months that no longer change, is kept for a later day.
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

from models.raw import atomic_files

FOLDER = "answers"
BEGUN = "begun.json"
NOTES = "notes.json"
GOOD = timedelta(hours=8)
"""How old a read may be: AWS recomputes a bill up to three times a day."""
WAITS = timedelta(days=35)
"""How long a read that is kept for a later day lasts after a pull last continued it."""
TODAY = "today"
"""The key of the day in `about`."""
T = TypeVar("T")


@dataclass(frozen=True)
class ResponseCache:
    """The paid AWS responses cached for one source's pull; `about` says which pull may use them."""

    folder: Path
    about: Mapping[str, str]

    def get_or_ask(self, question: object, ask: Callable[[], T], *, after: str = "") -> T:
        """Returns AWS's answer to a question from the cache, else asks AWS and caches the answer.

        A decision that a resumed pull must repeat is cached alike. Question and answer are JSON.
        `after` is the page token, where the answer is one page of several.
        """
        path = self.folder / _digest(question) / f"{_digest(after)}.json.gz"
        with suppress(OSError, EOFError, ValueError):  # not there, or not whole
            found: T = json.loads(gzip.decompress(path.read_bytes()))
            return found
        answer = ask()
        self._begin()
        _write(path, answer)
        return answer

    def drop(self, question: object) -> None:
        """Removes every cached page of the answer to a question."""
        _remove(self.folder / _digest(question))

    def clear(self) -> None:
        """Removes all cached responses of a source's pull; the numbers stored beside them stay."""
        if not self.folder.is_dir():
            return
        with atomic_files.write_errors(self.folder):
            _remove(self.folder / BEGUN)  # first: without it the rest is nobody's
            for path in self.folder.glob("*"):
                if path.name != NOTES:
                    _remove(path)

    def keep_for_later_day(self) -> None:
        """Marks the cached responses, if any, so that a pull on a later day may reuse them."""
        begun = self._begun()
        if begun:
            atomic_files.replace_json(self.folder / BEGUN, {**begun, "waits": _now()})

    @property
    def from_earlier_day(self) -> bool:
        """Whether the cached responses are of another day or question, or over 8 hours old."""
        begun = self._begun()
        return bool(begun) and not self._fresh(begun)

    @property
    def notes(self) -> dict[str, int]:
        """Returns the numbers by name stored beside the cached responses, which outlast these."""
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads((self.folder / NOTES).read_text(encoding="utf-8"))
            return found
        return {}

    def set_notes(self, notes: Mapping[str, int]) -> None:
        """Replaces the numbers by name that are stored beside the cached responses."""
        atomic_files.replace_json(self.folder / NOTES, notes)

    def _begin(self) -> None:
        """Writes once to disk what the cached responses are about and when the pull began."""
        path = self.folder / BEGUN
        if not path.exists():
            atomic_files.replace_json(path, {"at": _now(), "about": self.about})

    def _begun(self) -> dict[str, Any]:
        """Returns what the cached responses on disk are about; {} where there are none."""
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads((self.folder / BEGUN).read_text(encoding="utf-8"))
            return found
        return {}

    def _fresh(self, begun: Mapping[str, Any]) -> bool:
        """Whether the cached responses on disk are of this same pull and under 8 hours old."""
        return begun.get("about") == self.about and _within(begun.get("at"), GOOD)

    def _may_resume(self) -> bool:
        """Whether a pull may use the cached responses on disk: equal, and recent or marked."""
        begun = self._begun()
        same = {**begun.get("about", {}), TODAY: None} == {**self.about, TODAY: None}
        return self._fresh(begun) or (same and _within(begun.get("waits"), WAITS))


def open_cache(data: Path, name: str, about: Mapping[str, str]) -> ResponseCache:
    """Opens a source's response cache; empties it unless an equal pull may be resumed from it."""
    cache = ResponseCache(data / FOLDER / name, about)
    if not cache._may_resume():
        cache.clear()
    return cache


def remove_expired(data: Path) -> None:
    """Removes cached responses over 8 hours old, unless marked for a later day within 35 days."""
    for path in (data / FOLDER).glob(f"*/{BEGUN}"):
        left = ResponseCache(path.parent, {})
        begun = left._begun()
        if not (_within(begun.get("at"), GOOD) or _within(begun.get("waits"), WAITS)):
            left.clear()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _within(at: str | None, span: timedelta) -> bool:
    """Whether a time is less than `span` from now, in past or future; False for no time."""
    with suppress(TypeError, ValueError):
        return abs(datetime.now(UTC) - datetime.fromisoformat(at or "")) < span
    return False


def _digest(question: object) -> str:
    return sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:32]


def _write(path: Path, answer: object) -> None:
    remedy = atomic_files.BESIDE_THE_WAREHOUSE
    with atomic_files.write_errors(path, remedy):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_files.replace_file(path, remedy) as draft, draft.open("wb") as file:
            file.write(gzip.compress(json.dumps(answer).encode(), compresslevel=1))
            file.flush()
            os.fsync(file.fileno())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)

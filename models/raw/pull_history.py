"""The ingest log: what each pull of each source brought, from the journal that `feeds` reads.

Of the two lines of a pull the second replaces the first; a pull without one was cut off, or is
still under way. Only the newest are kept in mind.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.raw.appended_lines import Tail
from models.raw.feed_states import FILE, UNFINISHED

KEPT = 200
"""Pulls that are kept in mind."""
WHOSE = ("source", "location", "account", "region", "window")
Entry = dict[str, Any]


@dataclass(frozen=True)
class Pull:
    """One pull of one source. Instants are UTC; `ended` is null while it has not ended.

    `new` and `unchanged` count deliveries, `rows` those of the new ones, `requests` paid ones.
    `window` names the days asked for, where any were. `error` is empty after success.
    """

    source: str
    location: str
    account: str
    region: str
    window: str
    began: datetime
    ended: datetime | None = None
    new: int = 0
    unchanged: int = 0
    rows: int = 0
    requests: int = 0
    dollars: Decimal = Decimal(0)
    error: str = ""


class PullLog:
    """The journal in `folder`, read on from where it was left. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self._tail = Tail(folder / FILE)
        self._guard = threading.Lock()
        self._pulls: list[Pull] = []

    def newest(self) -> list[Pull]:
        """The newest pulls, the last one to begin first."""
        with self._guard:
            self._catch_up()
            return sorted(self._pulls, key=lambda pull: pull.began, reverse=True)

    def _catch_up(self) -> None:
        lines, anew = self._tail.news()
        self._pulls = [] if anew else self._pulls
        self._note(lines)

    def _note(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            with suppress(ValueError):  # torn by a crash
                self._add(json.loads(line))
            del self._pulls[:-KEPT]

    def _add(self, entry: Entry) -> None:
        told = _pull(entry)
        if told.ended is not None:
            same = (
                place for place in reversed(range(len(self._pulls))) if self._opens(place, told)
            )
            place = next(same, None)
            if place is not None:
                told = _pull(entry, self._pulls.pop(place).began)
        self._pulls.append(told)

    def _opens(self, place: int, told: Pull) -> bool:
        """Whether the pull there has not ended and is the one that `told` ends."""
        known = self._pulls[place]
        return known.ended is None and _whose(known) == _whose(told)


def _pull(entry: Entry, began: datetime | None = None) -> Pull:
    at = datetime.fromisoformat(entry["at"])
    open_yet = entry["error"] == UNFINISHED
    source, location, account, region, window = (str(entry.get(name) or "") for name in WHOSE)
    return Pull(
        source,
        location,
        account,
        region,
        window,
        began=began or at,
        ended=None if open_yet else at,
        new=int(entry.get("new") or 0),
        unchanged=int(entry.get("unchanged") or 0),
        rows=int(entry.get("rows") or 0),
        requests=int(entry.get("requests") or 0),
        dollars=Decimal(entry.get("dollars") or 0),
        error="" if open_yet else entry["error"],
    )


def _whose(pull: Pull) -> tuple[str, ...]:
    return tuple(getattr(pull, name) for name in WHOSE)

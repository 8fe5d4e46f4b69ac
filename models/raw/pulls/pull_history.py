"""Lists the newest pulls and what each brought, from the journal of pulls.

A pull has two lines in the journal: the second replaces the first. A pull with one line only was
cut off or is still running.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from models.raw.appended_lines import AppendOnlyReader
from models.raw.pulls.pull_journal import JOURNAL_FILE, UNFINISHED, Entry, pulls

LATEST = 200
"""How many pulls are kept in memory."""
FEED_FIELDS = ("source", "location", "account", "region", "window")


@dataclass(frozen=True)
class Pull:
    """One pull of a data source: when it began and ended (UTC), and what it delivered.

    `ended` is None while it runs. `new` and `unchanged` count deliveries, `rows` the rows of the
    new ones, `requests` the paid ones. `window` names the days asked for, where any were. `error`
    is empty after success.
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


class PullHistory:
    """Lists the newest 200 pulls, of all sources together, from the journal in a folder.

    It is safe between threads.
    """

    def __init__(self, folder: Path) -> None:
        self._reader = AppendOnlyReader(folder / JOURNAL_FILE)
        self._guard = threading.Lock()
        self._pulls: list[Pull] = []

    def newest(self) -> list[Pull]:
        """Returns the newest 200 pulls of all sources, the latest begun first."""
        with self._guard:
            self._read_new()
            return sorted(self._pulls, key=lambda pull: pull.began, reverse=True)

    def _read_new(self) -> None:
        lines, replaced = self._reader.read_new()
        self._pulls = [] if replaced else self._pulls
        for entry in pulls(lines):
            self._add(entry)
            del self._pulls[:-LATEST]

    def _add(self, entry: Entry) -> None:
        """Adds a journal entry to the list of pulls; a pull's end replaces its begin entry."""
        pull = _pull(entry)
        if pull.ended is not None:
            places = reversed(range(len(self._pulls)))
            begun = next((place for place in places if self._is_begin_of(place, pull)), None)
            if begun is not None:
                pull = _pull(entry, self._pulls.pop(begun).began)
        self._pulls.append(pull)

    def _is_begin_of(self, place: int, ended: Pull) -> bool:
        """Whether a listed pull has begun but not ended, and is the feed's that now ended."""
        begun = self._pulls[place]
        return begun.ended is None and _feed(begun) == _feed(ended)


def _pull(entry: Entry, began: datetime | None = None) -> Pull:
    at = datetime.fromisoformat(entry["at"])
    running = entry["error"] == UNFINISHED
    source, location, account, region, window = (str(entry.get(name) or "") for name in FEED_FIELDS)
    return Pull(
        source,
        location,
        account,
        region,
        window,
        began=began or at,
        ended=None if running else at,
        new=int(entry.get("new") or 0),
        unchanged=int(entry.get("unchanged") or 0),
        rows=int(entry.get("rows") or 0),
        requests=int(entry.get("requests") or 0),
        dollars=Decimal(entry.get("dollars") or 0),
        error="" if running else entry["error"],
    )


def _feed(pull: Pull) -> tuple[str, ...]:
    return tuple(getattr(pull, name) for name in FEED_FIELDS)

"""Determines each feed's state (a source at one location): last pull, error, whether stale.

Read from the journal of pulls. A feed is stale from an hour after a run of its cron that has not
succeeded. Under a pinned `as_of` the present is the newest try of any feed (`present`), because the
clock says nothing of that day.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from models.config.settings import Settings
from models.raw.appended_lines import AppendOnlyReader
from models.raw.pulls.pull_journal import JOURNAL_FILE, REMOVED, Entry, entries

GRACE = timedelta(hours=1)
"""How long a pull may take after its cron fires before its feed is stale."""
SAME_PULL = timedelta(days=1)
"""Feeds of one name are pulled together, within this time."""
SHIPPED_SOURCE = "prices"
"""The source that is pulled whatever the config says."""
NEVER_PULLED = "it was never pulled: is `breakeven schedule` running?"


@dataclass(frozen=True)
class FeedState:
    """A feed's (source at one location) last attempt, success and error; times are UTC.

    `fresh_until` is an hour after the pull that the cron has due next after the last success; None
    if unknown.
    """

    source: str
    location: str = ""
    last_attempt: datetime | None = None
    last_success: datetime | None = None
    last_error: str = ""
    fresh_until: datetime | None = None

    def after(self, entry: Entry) -> FeedState:
        """Returns the state after a journal entry; a pull of chosen dates does not change it."""
        at = datetime.fromisoformat(entry["at"])
        attempted = replace(self, last_attempt=at, last_error=entry["error"])
        if entry.get("window"):
            return self
        if entry["error"]:
            return attempted
        until = entry.get("fresh_until")
        return replace(
            attempted, last_success=at, fresh_until=datetime.fromisoformat(until) if until else None
        )

    def stale(self, now: datetime) -> bool | None:
        """Returns whether a feed never succeeded, or its next pull is overdue; None if unknown."""
        if self.last_success is None:
            return True
        return None if self.fresh_until is None else now > self.fresh_until

    def why(self, now: datetime) -> str:
        """Returns a feed's last error, or why it is stale; "" if it is fine."""
        if self.last_error or not self.stale(now):
            return self.last_error
        if self.last_attempt is None:
            return NEVER_PULLED
        last = f"{self.last_attempt:%Y-%m-%d %H:%M} UTC"
        return f"nothing has pulled it since {last}: is `breakeven schedule` running?"


def present(feeds: Iterable[FeedState], settings: Settings) -> datetime:
    """Returns the UTC time to judge staleness by: now, or with `as_of` the last pull's."""
    if settings.as_of is None:
        return datetime.now(UTC)
    return max(map(_last_attempt, feeds), default=datetime.min.replace(tzinfo=UTC))


def _last_attempt(feed: FeedState) -> datetime:
    return feed.last_attempt or datetime.min.replace(tzinfo=UTC)


class FeedJournal:
    """Reads the state of each feed (a source at one location) from the journal of pulls.

    Lines that were read once are not read again. It is safe between threads.
    """

    def __init__(self, folder: Path) -> None:
        self._reader = AppendOnlyReader(folder / JOURNAL_FILE)
        self._guard = threading.Lock()
        self._feeds: dict[tuple[str, str], FeedState] = {}

    def feeds(self, settings: Settings) -> list[FeedState]:
        """Lists states of feeds of configured sources and of `prices`, also if never pulled."""
        found = self.pulled()
        names = {*(entry.label for entry in settings.sources), SHIPPED_SOURCE}
        pulled = [feed for feed in found if feed.source in names]
        never = names - {feed.source for feed in found}
        return sorted(
            [*pulled, *(FeedState(name) for name in never)],
            key=lambda feed: (feed.source, feed.location),
        )

    def pulled(self) -> list[FeedState]:
        """Lists states of feeds that are current: tried within a day of their source's last try.

        A feed that has not been tried since then is no longer in the config, nor is one of which
        the journal says so.
        """
        with self._guard:
            self._read_new()
            attempted = [feed for feed in self._feeds.values() if feed.last_attempt]
            newest: dict[str, datetime] = {}
            for feed in sorted(attempted, key=_last_attempt):
                newest[feed.source] = _last_attempt(feed)
            return [f for f in attempted if newest[f.source] - _last_attempt(f) < SAME_PULL]

    def _read_new(self) -> None:
        lines, replaced = self._reader.read_new()
        self._feeds = {} if replaced else self._feeds
        for entry in entries(lines):
            key = entry["source"], entry.get("location", "")
            if REMOVED in entry:
                self._feeds.pop(key, None)
                continue
            self._feeds[key] = self._feeds.get(key, FeedState(*key)).after(entry)

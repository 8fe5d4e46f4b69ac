"""How each feed is doing: when it was last asked, when it last answered, what it said otherwise.

Read from `deliveries.jsonl` beside the warehouse, where `ingest` notes each pull of each source
twice, when it begins and when it ends. A feed is *stale* from an hour after a run of its cron that
has not succeeded; `why` is its last error, or that nothing has asked it. Under a pinned `as_of`
nothing is stale: that world stands still.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from models.config.settings import Settings
from models.raw.appended_lines import Tail

FILE = "deliveries.jsonl"
GRACE = timedelta(hours=1)
"""What a run may take, from when its cron fires, before its feed is stale."""
TOGETHER = timedelta(days=1)
"""One that was not asked when the others of its name were is no longer in the config."""
SHIPPED = "prices"
"""The source that is pulled whatever the config says."""
UNFINISHED = "the pull that began then has not ended"
"""The error of a pull's first line; what it came to stands in its second."""
MOST = 10
"""Reasons of one source that are named."""
NEVER = "it was never pulled: is `breakeven schedule` running?"
Entry = dict[str, Any]


@dataclass(frozen=True)
class Feed:
    """One `[[sources]]` entry as its journal tells it; instants are UTC.

    `fresh_until` follows from the cron at its last success; null where that is not known.
    """

    source: str
    location: str = ""
    last_attempt: datetime | None = None
    last_success: datetime | None = None
    last_error: str = ""
    fresh_until: datetime | None = None

    def after(self, entry: Entry) -> Feed:
        """What it is once `entry` is noted. A pull of chosen days says nothing about today's."""
        at = datetime.fromisoformat(entry["at"])
        tried = replace(self, last_attempt=at, last_error=entry["error"])
        if entry.get("window"):
            return self
        if entry["error"]:
            return tried
        until = entry.get("fresh_until")
        return replace(
            tried, last_success=at, fresh_until=datetime.fromisoformat(until) if until else None
        )

    def stale(self, now: datetime) -> bool | None:
        """Whether a run that was due an hour ago has not succeeded; null where no cron is known."""
        if self.last_success is None:
            return True
        return None if self.fresh_until is None else now > self.fresh_until

    def why(self, now: datetime) -> str:
        """What keeps it from being fresh, or may soon; empty when all is well."""
        if self.last_error or not self.stale(now):
            return self.last_error
        if self.last_attempt is None:
            return NEVER
        asked = f"{self.last_attempt:%Y-%m-%d %H:%M} UTC"
        return f"nothing has pulled it since {asked}: is `breakeven schedule` running?"


def _attempted(feed: Feed) -> datetime:
    return feed.last_attempt or datetime.min.replace(tzinfo=UTC)


class Journal:
    """The journal in `folder`; what was read once is not read again. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self._tail = Tail(folder / FILE)
        self._guard = threading.Lock()
        self._feeds: dict[tuple[str, str], Feed] = {}

    def feeds(self, settings: Settings) -> list[Feed]:
        """Every configured source, in order of name; one that was never pulled included."""
        found = self.known()
        names = {*(entry.label for entry in settings.sources), SHIPPED}
        told = [feed for feed in found if feed.source in names]
        silent = names - {feed.source for feed in found}
        return sorted(
            [*told, *(Feed(name) for name in silent)], key=lambda feed: (feed.source, feed.location)
        )

    def known(self) -> list[Feed]:
        """Every feed that is still pulled: with the others of its name, within a day of them."""
        with self._guard:
            self._catch_up()
            asked = [feed for feed in self._feeds.values() if feed.last_attempt]
            newest: dict[str, datetime] = {}
            for feed in sorted(asked, key=_attempted):
                newest[feed.source] = _attempted(feed)
            return [f for f in asked if newest[f.source] - _attempted(f) < TOGETHER]

    def _catch_up(self) -> None:
        lines, anew = self._tail.news()
        self._feeds = {} if anew else self._feeds
        self._note(lines)

    def _note(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            with suppress(ValueError):  # torn by a crash
                entry = json.loads(line)
                key = entry["source"], entry.get("location", "")
                self._feeds[key] = self._feeds.get(key, Feed(*key)).after(entry)


def rows(folder: Path, settings: Settings) -> list[dict[str, Any]]:
    """A row per configured source, for the table `feeds`: of several of one name the worst off;
    `why` is what is wrong with any of them.

    `last_success` is that of the one that answered longest ago; null, if any never has.
    """
    now = datetime.now(UTC)
    told: defaultdict[str, list[Feed]] = defaultdict(list)
    for feed in Journal(folder).feeds(settings):
        told[feed.source].append(feed)
    found = []
    for several in told.values():
        worst = min(several, key=lambda feed: (not feed.why(now), _answered(feed)))
        oldest = min(several, key=_answered)
        row = _row(worst, None if settings.as_of else worst.stale(now))
        said = (feed.last_error if settings.as_of else feed.why(now) for feed in several)
        told_once = {"why": _each_once(said), "last_success": _plain(oldest.last_success)}
        found.append(row | told_once)
    return found


def _answered(feed: Feed) -> datetime:
    return feed.last_success or datetime.min.replace(tzinfo=UTC)


def _each_once(said: Iterable[str]) -> str | None:
    """What is wrong with any of them: a fault of one must not hide another's."""
    reasons = list(dict.fromkeys(filter(None, said)))
    rest = f"; and {len(reasons) - MOST} more" if len(reasons) > MOST else ""
    return "; ".join(reasons[:MOST]) + rest or None


def _row(feed: Feed, stale: bool | None) -> dict[str, Any]:
    return {
        "source": feed.source,
        "last_attempt": _plain(feed.last_attempt),
        "last_success": _plain(feed.last_success),
        "last_error": feed.last_error or None,
        "fresh_until": _plain(feed.fresh_until),
        "stale": stale,
    }


def _plain(instant: datetime | None) -> datetime | None:
    return instant and instant.astimezone(UTC).replace(tzinfo=None)

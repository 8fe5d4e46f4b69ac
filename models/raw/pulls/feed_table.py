"""Computes the rows of table `feeds`, which `freshness` reads: each configured source's state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from models.config.settings import Settings
from models.raw.pulls.feed_states import FeedJournal, FeedState, present

MOST_REASONS = 10
"""How many reasons of one source are listed."""


def feed_rows(folder: Path, settings: Settings) -> list[dict[str, Any]]:
    """Returns a row per source name with its worst feed's state, for the table `feeds`.

    Where several feeds have one name, the row is that of the feed in the worst state, and `why`
    lists what is wrong with any of them. `last_success` is the oldest of all of them; null if one
    never succeeded. With `as_of` set, only a feed whose last pull failed can be stale.
    """
    feeds = FeedJournal(folder).feeds(settings)
    now = present(feeds, settings)
    by_name: defaultdict[str, list[FeedState]] = defaultdict(list)
    for feed in feeds:
        by_name[feed.source].append(feed)
    found = []
    for several in by_name.values():
        worst = min(several, key=lambda feed: (not feed.why(now), _last_success(feed)))
        oldest = min(several, key=_last_success)
        shown = settings.as_of is None or worst.last_error
        row = _row(worst, worst.stale(now) if shown else None)
        reasons = (feed.last_error if settings.as_of else feed.why(now) for feed in several)
        whole = {"why": _listed_once(reasons), "last_success": _utc(oldest.last_success)}
        found.append(row | whole)
    return found


def _last_success(feed: FeedState) -> datetime:
    return feed.last_success or datetime.min.replace(tzinfo=UTC)


def _listed_once(errors: Iterable[str]) -> str | None:
    """Returns up to ten distinct error texts joined, and how many more; None if no text."""
    reasons = list(dict.fromkeys(filter(None, errors)))
    rest = f"; and {len(reasons) - MOST_REASONS} more" if len(reasons) > MOST_REASONS else ""
    return "; ".join(reasons[:MOST_REASONS]) + rest or None


def _row(feed: FeedState, stale: bool | None) -> dict[str, Any]:
    return {
        "source": feed.source,
        "last_attempt": _utc(feed.last_attempt),
        "last_success": _utc(feed.last_success),
        "last_error": feed.last_error or None,
        "fresh_until": _utc(feed.fresh_until),
        "stale": stale,
    }


def _utc(instant: datetime | None) -> datetime | None:
    return instant and instant.astimezone(UTC).replace(tzinfo=None)

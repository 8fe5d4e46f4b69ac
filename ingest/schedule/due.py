"""Decides when each source is pulled, and which sources have missed a run."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from ingest.source import cron
from ingest.sources import configured
from models.config import cron as crontab
from models.config.accounts import EVERY
from models.config.settings import Settings
from models.raw.pulls.feed_states import FeedJournal, FeedState


def crons(settings: Settings) -> dict[str, list[str]]:
    """Maps each cron expression to the names of the configured sources that it pulls."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for source in configured(settings):
        names = found[cron(source, settings)]
        names += [source.name] if source.name not in names else []
    return dict(found)


def due(settings: Settings, now: datetime) -> list[str]:
    """Returns the names of sources that missed a scheduled run, or were never pulled in full."""
    feeds = {(feed.source, feed.location): feed for feed in FeedJournal(settings.data).pulled()}
    late = []
    every = {entry.label for entry in settings.sources if EVERY in entry.accounts}
    for source in configured(settings):
        mine = [feeds.get((source.name, source.location)) or feeds.get((source.name, ""))]
        if source.name in every:  # the journal has accounts that only the organisation knows
            mine += [feed for feed in feeds.values() if feed.source == source.name]
        when = crontab.trigger(cron(source, settings))
        missed = any(crontab.missed(when, _last_success(feed, now), now) for feed in mine)
        if missed and source.name not in late:
            late.append(source.name)
    return late


def _last_success(feed: FeedState | None, now: datetime) -> datetime | None:
    """Returns when a feed was last pulled successfully, at most now; None where it never was."""
    return min(feed.last_success, now) if feed and feed.last_success else None

"""Reads from the journals how pulls, builds, closes and sends went, and what AWS requests cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime

from prometheus_client.core import GaugeMetricFamily

from dashboard.server.metrics.gauges import gauge, gauges
from dashboard.snapshot.context import DataContext
from models.engine.build_record import read_build_record
from models.engine.inputs.paid_requests import PaidRequests
from models.raw.pulls.feed_states import FeedState
from models.records.closes import Closes
from models.sending.sent_log import history

Families = Iterator[GaugeMetricFamily]


def feed_metrics(context: DataContext, now: datetime) -> Families:
    """Yields gauges per source: its last complete pull, its age, if it is stale or failing."""
    by_name: defaultdict[str, list[FeedState]] = defaultdict(list)
    for feed in context.feeds():
        by_name[feed.source].append(feed)
    oldest = {name: _oldest_success(feeds) for name, feeds in by_name.items()}
    ages = [(name, at and (now - at).total_seconds()) for name, at in oldest.items()]
    stale = [(name, _any_stale(feeds, now)) for name, feeds in by_name.items()]
    failing = [(name, any(feed.last_error for feed in fs)) for name, fs in by_name.items()]
    yield from gauges(
        "feed_last_success_timestamp_seconds",
        "When a source was last pulled completely.",
        "source",
        oldest.items(),
    )
    yield from gauges("feed_age_seconds", "Time since then.", "source", ages)
    yield from gauges(
        "feed_stale", "1 an hour after a scheduled pull that has not succeeded.", "source", stale
    )
    yield from gauges("feed_failing", "1 where the last pull failed.", "source", failing)


def _oldest_success(feeds: list[FeedState]) -> datetime | None:
    """Returns the oldest of the feeds' last success times; None if one never succeeded."""
    known = [feed.last_success for feed in feeds if feed.last_success]
    return min(known) if len(known) == len(feeds) else None


def _any_stale(feeds: list[FeedState], now: datetime) -> bool | None:
    states = [feed.stale(now) for feed in feeds]
    return None if None in states and True not in states else True in states


def success_metrics(context: DataContext) -> Families:
    """Yields gauges of when pull, build, close and send last succeeded, and of the last build."""
    data = context.settings.data
    pulled = [pull.ended for pull in context.pulls() if pull.ended and not pull.error]
    sent = [line["at"] for line in history(data) if line.get("error") is None and "at" in line]
    build = read_build_record(data)
    ends = {
        "pull": max(pulled, default=None),
        "build": _instant(build.last_success),
        "close": Closes(data).last_written(),
        "send": _instant(max(sent, default="")),
    }
    yield from gauges(
        "last_success_timestamp_seconds", "When each last succeeded.", "act", ends.items()
    )
    failing = build.failed if build.last_attempt else None
    yield from gauge("build_failing", "1 where the last build failed.", failing)
    yield from gauge("build_seconds", "Seconds that the last successful build took.", build.seconds)
    yield from gauge("build_lines", "Rows of the deliveries that it read.", build.lines)


def _instant(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def cost_metrics(context: DataContext, paid: PaidRequests) -> Families:
    """Yields gauges of today's (UTC) paid AWS requests, their dollars, and the daily cap."""
    requests, dollars = paid.of_day(datetime.now(UTC).date())
    yield from gauge("aws_requests_today", "AWS requests paid for today (UTC).", requests)
    yield from gauge("aws_dollars_today", "Dollars paid for AWS requests today (UTC).", dollars)
    cap = context.settings.cost.api_budget_usd_per_day
    yield from gauge("aws_dollars_cap", "cost.api_budget_usd_per_day.", cap)

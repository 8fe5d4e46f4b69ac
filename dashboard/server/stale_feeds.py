"""Warns above every page about feeds that have stopped delivering."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.widgets.commands import with_commands
from dashboard.wording.format import day
from models.raw.pulls.feed_states import FeedState


def stale_notices(feeds: Iterable[FeedState], now: datetime) -> list[Component]:
    """Renders a warning for each data feed that is stale: since when, and why.

    What a pull failed by may be AWS's own words, which are long: they stand on the Trust page.
    """
    return [_line(feed, now) for feed in feeds if feed.stale(now)]


def gone_notice() -> Component:
    """Renders the warning that the snapshot behind the open page no longer exists."""
    text = "The snapshot behind this page is gone; the page stays as it is until the next build."
    return html.P(text, className="announcement stale", role="status")


def _line(feed: FeedState, now: datetime) -> Component:
    since = f" delivered nothing since {_instant(feed.last_success)}" if feed.last_success else ""
    sentence = with_commands(f"{since}: {feed.why(now)}")
    if feed.last_error:
        link = dcc.Link("Trust says why", href="/trust")
        sentence = [f"{since or ' delivered nothing yet'}; its last pull failed: ", link, "."]
    return html.P(
        [html.Strong(feed.source), *sentence], className="announcement stale", role="status"
    )


def _instant(at: datetime) -> str:
    utc = at.astimezone(UTC)
    return f"{day(utc.date())}, {utc:%H:%M} UTC"

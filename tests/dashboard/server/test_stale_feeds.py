from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dashboard.server.stale_feeds import stale_notices
from models.raw.pulls.feed_states import FeedState
from tests.support.dashboard.text import text


def test_a_feed_that_stands_still_is_named_with_since_when_and_why() -> None:
    then = datetime(2026, 10, 28, 6, 0, tzinfo=UTC)
    fresh = FeedState("a", "x", then, then, fresh_until=then + timedelta(hours=25))
    failed = FeedState(
        "b", "x", then + timedelta(days=1), then, "ce was refused", fresh.fresh_until
    )
    unborn = FeedState("d", last_error="ce was refused")
    assert stale_notices([fresh, failed], then + timedelta(hours=25)) == []
    told = [
        text(line)
        for line in stale_notices(
            [fresh, failed, FeedState("c"), unborn], then + timedelta(hours=26)
        )
    ]
    assert told == [
        "a delivered nothing since 28 Oct 2026, 06:00 UTC: "
        "nothing has pulled it since 2026-10-28 06:00 UTC: is breakeven schedule running?",
        "b delivered nothing since 28 Oct 2026, 06:00 UTC; its last pull failed: Trust says why .",
        "c : it was never pulled: is breakeven schedule running?",
        "d delivered nothing yet; its last pull failed: Trust says why .",
    ]

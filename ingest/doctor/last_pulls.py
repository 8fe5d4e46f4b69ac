"""Checks in the journal of pulls how the last pull of each feed went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.raw.pulls.feed_states import SHIPPED_SOURCE, FeedJournal, FeedState

NAME = "feeds"


def check_last_pulls(exam: Examination) -> Iterator[Finding]:
    """Yields how each feed's last pull went, except failures that another finding explains."""
    now = datetime.now(UTC)
    for feed in FeedJournal(exam.settings.data).feeds(exam.settings):
        if feed.last_error and feed.location in exam.explained:
            continue
        if feed.source != SHIPPED_SOURCE or feed.last_error:
            found = _pull_state(feed, now, pinned=exam.settings.as_of is not None)
            yield replace(found, state="blocks") if _no_bill(feed, exam) else found


def _no_bill(feed: FeedState, exam: Examination) -> bool:
    """Whether a feed of the counted bill failed and never delivered, so that no build can run."""
    money_source = exam.settings.cost.source
    own = [s for s in exam.sources if s.name == feed.source and s.group == "cost"]
    if (
        not feed.last_error
        or feed.last_success
        or not own
        or money_source not in (own[0].name, own[0].kind)
    ):
        return False
    return all(one.key.source != feed.source for one in exam.zone.live(own[0].format))


def _pull_state(feed: FeedState, now: datetime, *, pinned: bool) -> Finding:
    about = f"{feed.source} ({feed.location})" if feed.location else feed.source
    if feed.last_attempt is None:
        return Finding(NAME, about, "skipped", "never pulled", "`breakeven ingest`")
    if feed.last_error:
        found = f"its last pull failed: {feed.last_error}"
        return Finding(NAME, about, "warning", found, f"`breakeven ingest {feed.source}`")
    if feed.stale(now) and not pinned:
        return Finding(NAME, about, "warning", feed.why(now), "`breakeven schedule`")
    return Finding(NAME, about, "ok", f"answered {feed.last_success:%Y-%m-%d %H:%M} UTC")

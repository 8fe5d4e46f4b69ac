"""How feeds are doing, read from a journal as `ingest` appends to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.raw.pulls import feed_states, feed_table, pull_journal
from models.raw.pulls.feed_states import FeedJournal, FeedState

SIX = datetime(2026, 10, 31, 6, 0, 9, tzinfo=UTC)
UNTIL = datetime(2026, 11, 1, 7, tzinfo=UTC)


def settings(home: Path, **table: object) -> Settings:
    sources = [{"kind": "focus", "location": place} for place in ("a", "b")]
    return validated_settings({"sources": sources, **table}, home=home)


def note(home: Path, at: datetime, location: str = "a", error: str = "", **more: str) -> None:
    line = {"at": at.isoformat(), "source": "focus", "location": location, "error": error}
    add(home, json.dumps(line | {"fresh_until": UNTIL.isoformat()} | more) + "\n")


def old(source: str) -> str:
    """A line as earlier versions wrote it."""
    return json.dumps({"at": SIX.isoformat(), "source": source, "error": ""}) + "\n"


def add(home: Path, text: str) -> None:
    with (home / pull_journal.JOURNAL_FILE).open("a") as file:
        file.write(text)


def test_a_feed_is_fresh_until_an_hour_after_a_run_that_has_not_succeeded(tmp_path: Path) -> None:
    note(tmp_path, SIX)
    note(tmp_path, SIX + timedelta(days=1), error="ce was refused", fresh_until="")
    (feed,) = FeedJournal(tmp_path).pulled()
    assert (feed.last_success, feed.last_attempt) == (SIX, SIX + timedelta(days=1))
    assert feed.stale(UNTIL) is False
    assert feed.stale(UNTIL + timedelta(seconds=1)) is True
    assert feed.why(UNTIL) == "ce was refused"


def test_a_feed_that_nobody_asks_says_so(tmp_path: Path) -> None:
    note(tmp_path, SIX)
    (feed,) = FeedJournal(tmp_path).pulled()
    assert feed.why(UNTIL) == ""
    assert feed.why(UNTIL + timedelta(days=1)).startswith("nothing has pulled it since 2026-10-31")


def test_a_backfill_of_chosen_days_does_not_make_a_feed_fresh(tmp_path: Path) -> None:
    note(tmp_path, SIX)
    note(tmp_path, SIX + timedelta(days=9), window="2026-01-01/2026-01-31")
    (feed,) = FeedJournal(tmp_path).pulled()
    assert (feed.last_success, feed.fresh_until) == (SIX, UNTIL)


def test_what_is_appended_is_read_and_a_torn_line_waits_for_its_end(tmp_path: Path) -> None:
    journal = FeedJournal(tmp_path)
    assert journal.pulled() == []
    note(tmp_path, SIX)
    add(tmp_path, '{"at": "2026-11-01T')
    assert [feed.last_success for feed in journal.pulled()] == [SIX]
    add(tmp_path, "\n")  # what the next writer puts before its own
    note(tmp_path, UNTIL)
    assert [feed.last_success for feed in journal.pulled()] == [UNTIL]
    (tmp_path / pull_journal.JOURNAL_FILE).unlink()
    assert journal.pulled() == []


def test_every_configured_feed_is_told_and_no_other(tmp_path: Path) -> None:
    add(tmp_path, old("gone"))
    note(tmp_path, SIX, "b")
    found = FeedJournal(tmp_path).feeds(settings(tmp_path))
    assert [(feed.source, feed.location) for feed in found] == [("focus", "b"), ("prices", "")]
    assert found[1].why(SIX) == feed_states.NEVER_PULLED


def test_lines_of_an_earlier_version_tell_success_but_not_how_long_it_holds(tmp_path: Path) -> None:
    add(tmp_path, old("focus"))
    assert FeedJournal(tmp_path).pulled() == [FeedState("focus", "", SIX, SIX)]
    assert FeedState("focus", "", SIX, SIX).stale(UNTIL) is None
    note(tmp_path, UNTIL, "a")
    assert [feed.location for feed in FeedJournal(tmp_path).pulled()] == ["a"]


@pytest.mark.parametrize("as_of", [None, "2026-10-31"])
def test_of_two_feeds_of_one_name_the_one_that_fails_is_told(
    tmp_path: Path, as_of: str | None
) -> None:
    note(tmp_path, SIX, "a", fresh_until="2999-01-01T00:00:00+00:00")
    note(tmp_path, SIX, "b", error="no export found")
    told = feed_table.feed_rows(tmp_path, settings(tmp_path, as_of=as_of))
    (focus,) = [row for row in told if row["source"] == "focus"]
    assert (focus["stale"], focus["why"]) == (True, "no export found")


def test_a_pinned_day_has_only_feeds_that_failed_since_the_others_delivered(
    tmp_path: Path,
) -> None:
    """The clock says nothing of that day: it may be years later, or earlier."""
    day = timedelta(days=1)
    note(tmp_path, SIX, "a", fresh_until=f"{SIX + day}")
    note(tmp_path, SIX + 2 * day, "a", error="access denied")
    pinned = settings(tmp_path, as_of="2026-10-31")
    (focus, _) = feed_table.feed_rows(tmp_path, pinned)
    assert (focus["stale"], focus["why"]) == (True, "access denied")
    note(tmp_path, SIX + 3 * day, "a", fresh_until=f"{SIX + 4 * day}")
    (focus, _) = feed_table.feed_rows(tmp_path, pinned)
    assert (focus["stale"], focus["why"]) == (None, None)


def test_what_is_wrong_with_one_account_does_not_hide_another(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    note(tmp_path, now, "a", "account 1 was refused", fresh_until="")
    note(tmp_path, now, "b", "account 2 was refused", fresh_until="")
    (row,) = (
        r for r in feed_table.feed_rows(tmp_path, settings(tmp_path)) if r["source"] == "focus"
    )
    assert row["why"] == "account 1 was refused; account 2 was refused"
    assert row["last_success"] is None

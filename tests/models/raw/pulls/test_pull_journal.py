"""Since when a feed has not been pulled to the end."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from models.raw.pulls.pull_journal import JOURNAL_FILE, UNFINISHED, failing_since

SIX, HOUR = datetime(2026, 10, 31, 6, tzinfo=UTC), timedelta(hours=1)


def note(home: Path, hours: int, error: str = "", account: str = "") -> None:
    line = {"at": (SIX + hours * HOUR).isoformat(), "source": "slurm", "location": "jobs"}
    with (home / JOURNAL_FILE).open("a") as file:
        file.write(json.dumps(line | {"account": account, "error": error}) + "\n")


def test_a_feed_fails_from_its_first_pull_without_a_good_end_until_one_ends_well(
    tmp_path: Path,
) -> None:
    feed = ("slurm", "jobs", "", "")
    assert failing_since(tmp_path) == {}
    note(tmp_path, 0, UNFINISHED)
    note(tmp_path, 1, UNFINISHED)
    note(tmp_path, 1, "a bad line")
    note(tmp_path, 2, UNFINISHED, account="2")
    assert failing_since(tmp_path) == {feed: SIX, (*feed[:2], "2", ""): SIX + 2 * HOUR}
    note(tmp_path, 3, UNFINISHED)
    note(tmp_path, 4)
    note(tmp_path, 4, account="2")
    assert failing_since(tmp_path) == {}
    note(tmp_path, 5, UNFINISHED)
    with (tmp_path / JOURNAL_FILE).open("a") as file:
        file.write('{"at": "2026-10-31T1')  # a crash cut it off
    assert failing_since(tmp_path) == {feed: SIX + 5 * HOUR}

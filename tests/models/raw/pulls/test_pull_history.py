"""The ingest log, read from a journal as `ingest` appends to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from models.raw.pulls.pull_history import LATEST, PullHistory
from models.raw.pulls.pull_journal import JOURNAL_FILE, UNFINISHED

SIX = datetime(2026, 10, 31, 6, tzinfo=UTC)


def note(home: Path, at: datetime, account: str = "1", error: str = "", **told: object) -> None:
    line = {"at": at.isoformat(), "source": "cost", "account": account, "error": error, **told}
    with (home / JOURNAL_FILE).open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_two_lines_are_one_pull_and_one_that_never_ended_stays_open(tmp_path: Path) -> None:
    log = PullHistory(tmp_path)
    assert log.newest() == []
    note(tmp_path, SIX, error=UNFINISHED)
    note(tmp_path, SIX + timedelta(hours=1), error=UNFINISHED)
    note(tmp_path, SIX + timedelta(hours=1), "2", UNFINISHED)
    (_, second, first) = log.newest()
    assert (first.ended, second.ended, first.error) == (None, None, "")
    note(tmp_path, SIX + timedelta(hours=2), new=3, rows=70, requests=2, dollars="0.02")
    note(tmp_path, SIX + timedelta(hours=3), "2", "ce was refused")
    found = {(pull.account, pull.began.hour): pull for pull in log.newest()}
    assert (found["1", 7].ended, found["1", 7].new) == (SIX + timedelta(hours=2), 3)
    assert (found["1", 7].requests, found["1", 7].dollars) == (2, Decimal("0.02"))
    assert found["1", 6].ended is None  # cut off
    assert found["2", 7].error == "ce was refused"


def test_a_torn_line_and_a_journal_begun_anew_are_no_errors(tmp_path: Path) -> None:
    log = PullHistory(tmp_path)
    for hour in range(LATEST + 5):
        note(tmp_path, SIX + timedelta(hours=hour))
    with (tmp_path / JOURNAL_FILE).open("a") as file:
        file.write('{"at": "2026\n')
    assert len(log.newest()) == LATEST
    assert log.newest()[0].began == SIX + timedelta(hours=LATEST + 4)
    (tmp_path / JOURNAL_FILE).unlink()
    note(tmp_path, SIX)
    assert [pull.began for pull in log.newest()] == [SIX]
    (tmp_path / JOURNAL_FILE).unlink()
    for hour in range(3):  # longer than what was read of the one before
        note(tmp_path, SIX + timedelta(days=1, hours=hour), "another")
    assert [pull.account for pull in log.newest()] == ["another"] * 3

"""The ledger of paid requests and the daily cap."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from ingest.paid_requests.ledger import RequestLedger, append, damaged_lines, read_lines
from models.contract.errors import BudgetError

CENT = Decimal("0.01")
NOON = datetime(2026, 10, 31, 12, tzinfo=UTC)


def test_a_line_is_written_before_the_request_is_sent(tmp_path: Path) -> None:
    ledger = RequestLedger(tmp_path, Decimal(1), lambda: NOON)
    ledger.pay("cost_explorer", "999900000001", "GetCostAndUsage", CENT)
    assert list(read_lines(tmp_path / "requests.jsonl")) == [
        {
            "at": "2026-10-31T12:00:00+00:00",
            "source": "cost_explorer",
            "account": "999900000001",
            "operation": "GetCostAndUsage",
            "dollars": "0.01",
        }
    ]


def test_the_cap_counts_all_sources_and_earlier_processes(tmp_path: Path) -> None:
    for source in ("one", "two"):
        RequestLedger(tmp_path, Decimal("0.02"), lambda: NOON).pay(source, "a", "Op", CENT)
    third = RequestLedger(tmp_path, Decimal("0.02"), lambda: NOON)
    with pytest.raises(BudgetError, match="three: the next Op would exceed") as caught:
        third.pay("three", "a", "Op", CENT)
    assert "$0.02 of $0.02 spent today" in str(caught.value)
    assert len(list(read_lines(third.path))) == 2


def test_the_cap_begins_anew_with_the_utc_day(tmp_path: Path) -> None:
    RequestLedger(tmp_path, CENT, lambda: NOON).pay("s", "a", "Op", CENT)
    tomorrow = RequestLedger(tmp_path, CENT, lambda: NOON.replace(month=11, day=1))
    tomorrow.pay("s", "a", "Op", CENT)
    assert [line["dollars"] for line in read_lines(tomorrow.path)] == ["0.01", "0.01"]


def test_a_cap_of_zero_allows_no_paid_request(tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        RequestLedger(tmp_path, Decimal(0)).pay("s", "a", "Op", Decimal("0.00001"))


def test_a_line_torn_by_a_crash_counts_as_a_cent_and_the_next_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('{"at": "2026-10-31T00:00:00+00:00", "dollars": "0.01"}\n{"at": "2026-1')
    assert RequestLedger(tmp_path, Decimal("0.05"), lambda: NOON).left == Decimal("0.03")
    append(path, {"at": "2026-10-31T01:00:00+00:00", "dollars": "0.02"})
    assert [line["dollars"] for line in read_lines(path)] == ["0.01", "0.02"]
    assert RequestLedger(tmp_path, Decimal("0.05"), lambda: NOON).left == CENT


def test_a_damaged_line_counts_on_the_days_that_it_may_be_of_and_is_named(tmp_path: Path) -> None:
    """Of the 29th or 30th the first, of the 30th to the 31st the other three, however damaged."""
    path = tmp_path / "requests.jsonl"
    whole = [b'{"at": "2026-10-%dT00:00:00+00:00", "dollars": "0.02"}' % day for day in (29, 30)]
    junk = b'{"at": "\xff"}', b'{"at": "2026-10-31", "dollars": "0.0l"}', b"{}"
    path.write_bytes(b"\n".join((whole[0], b"\x00\x00", whole[1], *junk, b"")))
    of = {
        day: RequestLedger(tmp_path, CENT * 9, lambda day=day: NOON.replace(day=day))
        for day in (29, 30)
    }
    of[31] = RequestLedger(tmp_path, CENT * 9, lambda: NOON)
    assert {day: ledger.left / CENT for day, ledger in of.items()} == {29: 6, 30: 3, 31: 6}
    of[31].pay("s", "a", "Op", CENT * 6)
    with pytest.raises(BudgetError, match=r"\$0.09 of \$0.09 spent today"):
        of[31].pay("s", "a", "Op", Decimal("0.0001"))
    assert of[31].notices[0] == (
        f"line 4 of {path} is damaged: it counts as $0.01 on each day that it may be from; "
        "correct it, or delete it if AWS billed nothing then"
    )
    assert (len(of[31].notices), damaged_lines(path)) == (3, [2, 4, 5, 6])
    assert RequestLedger(tmp_path, CENT, lambda: NOON.replace(month=11, day=1)).left == CENT


def test_a_damaged_line_is_named_before_anything_was_paid(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('{"at": "2026-10-31T00:00:00+00:00", "dollars": "0.02"}\n{}\n')
    (said,) = RequestLedger(tmp_path, CENT, lambda: NOON).notices
    assert said.startswith(f"line 2 of {path} is damaged: ")


def test_no_ledger_is_no_request(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "requests.jsonl")) == []

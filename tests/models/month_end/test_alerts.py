"""Each thing is said once, and again only after it was over."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.month_end import alerts
from models.settings import Settings

D = Decimal
Rows = list[dict[str, Any]]


def hear(state: dict[str, str], **told: Rows) -> list[str]:
    """What is said of these rows; `state` goes on."""
    questions = {
        alerts.STANDINGS: told.get("standings", []),
        alerts.EPOCHS: told.get("epochs", []),
        alerts.UNTAGGED: told.get("untagged", []),
        alerts.FEEDS: told.get("feeds", []),
        alerts.PAID: told.get("paid", [{"dollars": D(0)}]),
    }
    said, raised = alerts.news(lambda sql: questions[sql], Settings(), state)
    state.clear()
    state.update(raised)
    return said


def standing(status: str, median: date | None = None) -> Rows:
    net = D("12.50")
    row = {"workload": "atlas-7b", "status": status, "cumulative_net": net}
    return [row | {"forecast_median": median}]


def test_what_has_paid_for_itself_is_said_once_and_again_after_a_fall() -> None:
    state: dict[str, str] = {}
    reached = "atlas-7b has paid for itself: $12.50 cumulative net."
    assert hear(state, standings=standing("recovering")) == []
    assert hear(state, standings=standing("broke_even")) == [reached]
    assert hear(state, standings=standing("broke_even")) == []
    assert hear(state, standings=standing("recovering")) == []
    assert hear(state, standings=standing("broke_even")) == [reached]


def test_a_break_even_that_creeps_is_told_once_it_slipped_by_more_than_a_month() -> None:
    state: dict[str, str] = {}
    said = [
        hear(state, standings=standing("recovering", day))
        for day in (
            date(2027, 1, 1),
            date(2027, 1, 20),
            date(2027, 2, 1),
            date(2027, 2, 2),
            date(2027, 2, 3),
            date(2026, 12, 1),
            date(2026, 12, 2),
            date(2027, 1, 10),
        )
    ]
    slipped = "Break-even of atlas-7b slipped from {} to {}."
    assert said == [
        [], [], [],
        [slipped.format("2027-01-01", "2027-02-02")],
        [], [], [],
        [slipped.format("2026-12-02", "2027-01-10")],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shares", "heard"),
    [
        (("0.04", "0.05", "0.051", "0.06", "0.045", "0.06"), [0, 0, 1, 0, 0, 0]),
        (("0.06", "0.039", "0.06"), [1, 0, 1]),
    ],
)
def test_a_share_that_hovers_says_nothing_twice(shares: tuple[str, ...], heard: list[int]) -> None:
    state: dict[str, str] = {}
    rows = [[{"untagged": D(share), "spent": D(1)}] for share in shares]
    assert [len(hear(state, untagged=row)) for row in rows] == heard


def test_a_dearer_epoch_a_stale_source_and_a_cap_are_said_in_words() -> None:
    state: dict[str, str] = {}
    epoch = {"workload": "atlas-7b", "month": "2026-09", "now": D("112"), "before": D("100")}
    feed = {"source": "focus", "why": "the bucket is gone"}
    assert hear(state, epochs=[epoch], feeds=[feed], paid=[{"dollars": D("1.00")}]) == [
        "An epoch of atlas-7b on Trainium cost $112.00 in 2026-09, 12% more than $100.00 the "
        "month before.",
        "focus is stale: the bucket is gone",
        "AWS requests cost $1.00 today: the cap is $1.00.",
    ]
    assert hear(state, epochs=[epoch | {"now": D("109")}], feeds=[feed]) == []
    assert hear(state, epochs=[epoch]) == []
    assert hear(state, epochs=[epoch | {"now": D("107")}], feeds=[]) == []
    assert len(hear(state, epochs=[epoch], feeds=[feed])) == 2

"""Each thing is said once, and again only after it was over."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.config.settings import Settings
from models.sending import alerts

D = Decimal
Rows = list[dict[str, Any]]


def hear(state: dict[str, str], today: str = "2026-10-12", **told: Rows) -> list[str]:
    """What is said of these rows; `state` goes on."""
    questions = {
        alerts.STANDINGS: told.get("standings", []),
        alerts.EPOCHS: told.get("epochs", []),
        alerts.UNTAGGED: told.get("untagged", []),
        alerts.FEEDS: told.get("feeds", []),
        alerts.PAID: told.get("paid", [{"dollars": D(0)}]),
    }
    settings = Settings(as_of=date.fromisoformat(today))
    said, raised = alerts.new_alerts(lambda sql: questions[sql], settings, state)
    state.clear()
    state.update(raised)
    return said


def standing(status: str, median: date | None = None, progress: str | None = "0.5") -> Rows:
    row = {"workload": "atlas-7b", "status": status, "cumulative_net": D("12.50")}
    row |= {"roi": D("0.25"), "net_at_old_volume": D("-3")}
    return [
        row | {"forecast_median": median, "progress": None if progress is None else D(progress)}
    ]


def test_what_has_paid_for_itself_is_said_once_and_again_after_a_fall() -> None:
    state: dict[str, str] = {}
    reached = (
        "atlas-7b has paid for itself: $12.50 cumulative net, a return of 25.0 %; -$3.00 at the "
        "volume of before the move."
    )
    assert hear(state, standings=standing("recovering")) == []
    assert hear(state, standings=standing("broke_even")) == [reached]
    assert hear(state, standings=standing("broke_even")) == []
    assert hear(state, standings=standing("recovering", progress="0.99")) == []
    assert hear(state, standings=standing("broke_even")) == []
    assert hear(state, standings=standing("recovering", progress=None)) == []
    assert hear(state, standings=standing("broke_even")) == []
    assert hear(state, standings=standing("recovering", progress="0.79")) == []
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
        [slipped.format("2026-12-01", "2027-01-10")],
    ]  # fmt: skip


def test_a_slip_or_a_lost_date_in_the_build_after_a_slip_is_said_too() -> None:
    slipped = "Break-even of atlas-7b slipped from {} to {}."
    lost = "Break-even of atlas-7b was expected on 2027-05-01; there is no date any more."
    state: dict[str, str] = {}
    said = [
        hear(state, standings=standing("recovering", day))
        for day in (date(2027, 1, 1), date(2027, 3, 1), date(2027, 5, 1), None)
    ]
    assert said == [
        [],
        [slipped.format("2027-01-01", "2027-03-01")],
        [slipped.format("2027-03-01", "2027-05-01")],
        [lost],
    ]


def test_a_date_that_wobbles_is_no_slip_and_one_that_is_lost_is() -> None:
    state: dict[str, str] = {}
    jan, later = date(2027, 1, 1), date(2027, 1, 30)
    for day in (jan, date(2026, 12, 5), later, date(2026, 12, 5), later):
        assert hear(state, standings=standing("recovering", day)) == []
    lost = "Break-even of atlas-7b was expected on 2027-01-01; there is no date any more."
    assert hear(state, standings=standing("recovering")) == [lost]
    for again in (None, later, None, jan):
        assert hear(state, standings=standing("recovering", again)) == []
    assert hear(state, standings=standing("losing")) == [lost]
    slipped = "Break-even of atlas-7b slipped from 2027-01-01 to 2027-03-01."
    assert hear(state, standings=standing("recovering", date(2027, 3, 1))) == [slipped]
    assert hear(state, standings=standing("broke_even")) != [lost]


@pytest.mark.parametrize(
    ("shares", "heard"),
    [
        (("0.04", "0.05", "0.051", "0.06", "0.045", "0.06"), [0, 0, 1, 0, 0, 0]),
        (("0.06", "0.039", "0.06"), [1, 0, 1]),
    ],
)
def test_a_share_that_hovers_says_nothing_twice(shares: tuple[str, ...], heard: list[int]) -> None:
    state: dict[str, str] = {}
    first = "12.5 % of accelerator spend of the last 30 settled days names no workload."
    assert hear({}, untagged=[{"untagged": D("0.125"), "spent": D(1)}]) == [first]
    rows = [[{"untagged": D(share), "spent": D(1)}] for share in shares]
    assert [len(hear(state, untagged=row)) for row in rows] == heard


def test_a_dearer_epoch_is_said_once_a_month() -> None:
    state: dict[str, str] = {}
    epoch = {"workload": "atlas-7b", "month": "2026-09", "now": D("112.5"), "before": D("100"),
             "unit": "epoch"}  # fmt: skip
    epoch |= {"month_before": "2026-07"}
    assert hear(state, epochs=[epoch]) == [
        "An epoch of atlas-7b on Trainium cost $112.50 in 2026-09, 12.5 % more than $100.00 in "
        "2026-07."
    ]
    assert hear(state, epochs=[epoch | {"now": D("109")}]) == []
    assert hear(state, epochs=[epoch]) == []
    assert hear(state, epochs=[epoch | {"now": D("107")}]) == []
    assert len(hear(state, epochs=[epoch])) == 1
    october = {"month": "2026-10", "month_before": "2026-09", "before": D("112"), "now": D("130")}
    assert len(hear(state, epochs=[epoch | october])) == 1


def test_a_source_that_comes_and_goes_is_said_once_a_day() -> None:
    state: dict[str, str] = {}
    stale = {"source": "focus", "stale": True, "why": "the bucket is gone"}
    fresh = stale | {"stale": False}
    said = "focus is stale: the bucket is gone"
    for day, feed, heard in (
        ("2026-10-12", stale, [said]),
        ("2026-10-12", fresh, []),
        ("2026-10-12", stale, []),
        ("2026-10-13", stale, []),
        ("2026-10-13", fresh, []),
        ("2026-10-13", stale, [said]),
    ):
        assert hear(state, day, feeds=[feed]) == heard


def test_a_cap_that_is_hit_every_day_is_said_until_a_day_passes_without() -> None:
    state: dict[str, str] = {}
    said = "AWS requests cost $1.00 today: the cap is $1.00."
    for day, spent, heard in (
        ("2026-10-12", "0.99", []),
        ("2026-10-12", "1.00", [said]),
        ("2026-10-12", "1.00", []),
        ("2026-10-13", "0.00", []),
        ("2026-10-13", "1.00", []),
        ("2026-10-14", "0.50", []),
        ("2026-10-15", "0.50", []),
        ("2026-10-16", "1.00", [said]),
    ):
        assert hear(state, day, paid=[{"dollars": D(spent)}]) == heard


def test_a_cap_that_has_no_cent_left_is_reached() -> None:
    """Listings of S3 cost fractions of one, so that what is spent never is the cap exactly."""
    said = "AWS requests cost $0.99 today: the cap is $1.00."
    assert hear({}, "2026-10-12", paid=[{"dollars": D("0.9900106")}]) == [said]

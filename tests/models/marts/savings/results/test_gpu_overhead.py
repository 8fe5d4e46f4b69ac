"""METHOD §6, last line: GPU overhead that ended with the move is shown, and in no saving."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.marts.savings.results.gpu_overhead import gpu_overhead
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table
from tests.support.marts.savings_cases import P4D, TRN1
from tests.support.marts.spend_rows import SPEND, spent
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Moved on 1 July after 84 days on GPU, or on 1 October; machines under the workload's tag."""
    world = World(tmp_path_factory.mktemp("overhead"))
    for workload, moved in (("less", "07-01"), ("more", "07-01"), ("young", "10-01")):
        for run, start in (("g1", "2025-04-08"), ("g2", "2025-05-10")):
            world.run(run, P4D, f"{start}T00:00:00", 10, 10, 1, workload=workload)
        world.run("t1", TRN1, f"2025-{moved}T00:00:00", 10, 4, 1, workload=workload)
    spent = (
        ("less", "06-15", P4D, 8400), ("less", "10-01", P4D, 2100), ("less", "10-02", TRN1, 70),
        ("more", "06-15", P4D, 100), ("more", "10-01", P4D, 200), ("young", "06-15", P4D, 100),
    )  # fmt: skip
    for workload, day, kind, cost in spent:
        tags = {"workload": workload}
        world.hours(f"2025-{day}T00:00:00", 10, kind, D(cost) / 10, tags)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    settings = world.pulled(baseline={"method": "measured"})
    return some_marts(settings, "break_even", "gpu_overhead", "savings_daily", "spend_daily")


@pytest.mark.parametrize(
    ("workload", "ended"),
    [("less", 2275), ("more", 0), ("young", None), ("(portfolio)", 2275)],
)
def test_what_a_month_of_gpu_overhead_cost_more_before(
    marts: Marts, workload: str, ended: object
) -> None:
    """$8,400 in 84 days are $3,033.33 a month, $2,100 are $758.33; more than before is 0."""
    assert marts.standing(workload)["gpu_overhead_ended"] == ended


def test_it_is_in_no_saving(marts: Marts) -> None:
    rows = marts.rows("SELECT sum(overhead) AS o FROM savings_daily WHERE workload = 'less'")
    assert rows == [{"o": 70}]


def test_both_months_are_what_sql_makes_of_the_bill(marts: Marts) -> None:
    """The cutover is 1 July, the first GPU charge 84 days before it, the last settled day 27."""
    (row,) = marts.rows(
        """SELECT
            sum(effective_cost) FILTER (date < '2025-07-01') * 364 / (84 * 12) AS before,
            sum(effective_cost) FILTER (date > DATE '2025-10-28' - 84) * 364 / (84 * 12) AS recent
        FROM spend_daily
        WHERE workload = 'less' AND hardware = 'gpu' AND attribution = 'overhead'"""
    )
    shown = marts.row("SELECT * FROM gpu_overhead WHERE workload = 'less'")
    assert shown["days_before"] == 84
    assert abs(D(row["before"]) - shown["per_month_before"]) < D("1e-6")
    assert abs(D(row["recent"]) - shown["per_month_recent"]) < D("1e-6")


MOVED = date(2026, 5, 1)
CUTOVERS = {"workload": "string", "cutover": "date"}
SETTLED = {
    "workload": "string", "settled_through": "date", "recent_since": "date",
    "undelivered": "array<date>",
}  # fmt: skip


def loose(away: int, cost: object, **said: object) -> Mapping[str, object]:
    """A day's GPU hours outside any run, so many days from the cutover."""
    usual = {"hardware": "gpu", "attribution": "overhead", "date": MOVED + timedelta(days=away)}
    return spent(1, cost, **usual | said)


def told(
    *days: Mapping[str, object], settled_for: int = 84, missing: range = range(0)
) -> dict[str, dict[str, Any]]:
    """The row of each workload and of the portfolio; all moved on one day.

    Days `missing` since then lack the allocations of a cluster.
    """
    named = sorted({str(day["workload"]) for day in days})
    last = MOVED + timedelta(days=settled_for - 1)
    known = {
        "settled_through": last,
        "recent_since": last - timedelta(days=83 + len(missing)),
        "undelivered": [MOVED + timedelta(days=away) for away in missing],
    }
    made = applied(
        gpu_overhead,
        table(SPEND, *days),
        table(CUTOVERS, *({"workload": name, "cutover": MOVED} for name in named)),
        table(SETTLED, *({"workload": name} | known for name in named)),
        validated_settings({"baseline": {"window_days": 84}}, home=Path()),
    )
    return {row["workload"]: row for row in made.to_pyarrow().to_pylist()}


def test_days_before_the_move_are_those_of_the_window_and_not_the_day_of_the_move() -> None:
    """$84 on the first of 84 days, and $8,400 just outside on either side of them."""
    days = [loose(-85, 8400), loose(-84, 84), loose(-1, 0), loose(0, 8400)]
    row = told(*days, settled_for=200)["w"]
    assert (row["days_before"], row["since"]) == (84, MOVED - timedelta(days=84))
    assert (row["cost_before"], row["cost_recent"]) == (84, 0)
    assert row["gpu_overhead_ended"] == D("30.333333333")


def test_a_pause_at_the_beginning_of_the_window_counts_after_an_earlier_gpu_charge() -> None:
    """$84 on the tenth day back; the first charge is of 90 days back, and the window of 84."""
    row = told(loose(-90, 8400), loose(-10, 84))["w"]
    assert (row["days_before"], row["since"]) == (84, MOVED - timedelta(days=84))
    assert (row["cost_before"], row["per_month_before"]) == (84, D("30.333333333"))
    assert told(loose(-90, 8400)) == {}


def test_a_day_without_allocations_is_none_of_the_84() -> None:
    """$42 on the first of 98 days, of which 14 are not settled: on one of these are $999."""
    days = loose(-84, 84), loose(0, 42), loose(30, 999)
    row = told(*days, settled_for=98, missing=range(20, 34))["w"]
    assert (row["cost_recent"], row["per_month_recent"]) == (42, D("15.166666667"))
    assert told(*days, settled_for=97, missing=range(20, 34)) == {}


def test_runs_trainium_and_unsettled_days_are_no_part_of_it() -> None:
    others = ({"attribution": "direct"}, {"hardware": "trainium"}, {"settled": False})
    days = [loose(away, 999, **other) for other in others for away in (-3, 3)]
    row = told(loose(-84, 84), loose(-1, 84), loose(9, 42), *days)["w"]
    assert (row["cost_before"], row["cost_recent"]) == (168, 42)


@pytest.mark.parametrize(
    ("after", "ended"), [(840, 0), ("838.5", "0.541666666"), ("841.5", 0)], ids=str
)
def test_what_ended_is_known_to_the_cent_and_never_less_than_nothing(
    after: object, ended: object
) -> None:
    row = told(loose(-84, 840), loose(7, after))["w"]
    assert row["gpu_overhead_ended"] == D(str(ended))


def test_hours_without_a_price_leave_it_unknown_on_their_side() -> None:
    for away, name in ((-2, "cost_before"), (2, "cost_recent")):
        row = told(loose(-84, 1), loose(1, 1), loose(away, 1, unpriced=True))["w"]
        names = ("cost_before", "cost_recent", "gpu_overhead_ended")
        assert [key for key in names if row[key] is None] == [name, "gpu_overhead_ended"]


def test_a_workload_without_a_day_on_gpu_before_it_moved_has_no_row() -> None:
    assert told(loose(0, 5), loose(1, 5)) == {}
    assert told(loose(-1, 5))["w"]["days_before"] == 1


@pytest.mark.parametrize(("settled_for", "known"), [(84, True), (83, False)])
def test_it_is_said_once_84_days_have_settled_since_the_move(settled_for: int, known: bool) -> None:
    assert ("w" in told(loose(-84, 1), settled_for=settled_for)) == known


def test_the_portfolio_of_one_workload_has_its_days_and_of_two_none() -> None:
    one = [loose(-84, 84), loose(-10, 0)]
    assert told(*one)["(portfolio)"] == told(*one)["w"] | {"workload": "(portfolio)"}
    both = told(*one, loose(-40, 30, workload="v"))["(portfolio)"]
    assert (both["since"], both["days_before"], both["cost_before"]) == (None, None, 114)
    unknown = told(*one, loose(-40, 30, workload="v", unpriced=True))["(portfolio)"]
    assert unknown["cost_before"] is None

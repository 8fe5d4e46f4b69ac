"""METHOD §6: the status of a workload, to the cent and to the day."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import (
    WORDS,
    entries,
    kept,
    ran,
)
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
GROSS = Decimal("1138.125")


@pytest.fixture(scope="module")
def december(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A, and then twelve weekly runs at a loss, or a volume for thirteen weeks."""
    world = World(tmp_path_factory.mktemp("december"))
    for workload in ("weekly", "volume", "dear volume"):
        migrated(world, workload)
    for week in range(12):
        day = date(2025, 9, 29) + timedelta(weeks=week)
        world.hours(f"{day}", 10, TRN1, 18, {"workload": "weekly", "run": f"l{week}"})
        for hour, epoch in ((0, 0), (9, 1)):
            said = {"workload": "weekly", "loss": 1.5}
            world.sample(f"{day}T0{hour}:00:00", f"l{week}", epoch, **said)
    kept(world, "volume", "t3", "2025-09-17", 91)
    kept(world, "dear volume", "t3", "2025-09-17", 91, dollars=13)
    world.charge("2025-12-30T00:00:00", 1)
    amounts = {"weekly": 1, "volume": 10_000, "dear volume": 10_000}
    spent = entries({workload: [(amount, "08-15")] for workload, amount in amounts.items()})
    return some_marts(world.pulled(as_of="2025-12-31", investments=spent), "break_even")


def test_losing_looks_at_the_last_84_settled_days(december: Marts) -> None:
    """Twelve weekly runs at a loss after three that saved more: losing, though still ahead."""
    standing = december.standing("weekly")
    assert standing["cumulative_net_saving"] == GROSS + 12 * (Decimal("175.875") - 180)
    assert (standing["status"], standing["reason"]) == ("losing", WORDS["losing"])
    assert standing["break_even_date"] == date(2025, 9, 2)
    assert standing["payback_months"] is None or standing["payback_months"] == 0


@pytest.mark.parametrize(("workload", "dollars"), [("volume", 1), ("dear volume", 13)])
def test_where_nothing_trained_lately_the_84_days_up_to_the_last_run_decide(
    december: Marts, workload: str, dollars: int
) -> None:
    """A volume from 17 September to 16 December; 72 of its days are in the recent window.

    Going on as now loses money, and no run lost any.
    """
    standing = december.standing(workload)
    assert standing["cumulative_net_saving"] == GROSS - 91 * dollars
    assert standing["status"] == "recovering"
    monthly = Decimal(-72 * dollars) * 52 / 144
    assert standing["forward_per_month"] == monthly
    assert (standing["payback_months"], standing["runs_to_break_even"]) == (None, None)


MONDAYS = [f"{date(2025, 7, 28) + timedelta(weeks=week):%m-%d}" for week in range(13)]


SPENT = {
    "level": [(10, "06-01")],
    "penny": [("1.20", "06-01")],
    "short": [(10, "06-01")],
    "dozen": [(5000, "06-01")],
    "quarter": [(1000, "06-01")],
    "monday": [(10, "06-01")],
    "keep": [("2890.75", "06-01")],
    "free": [(0, "10-28")],
    "inch": [(10, "06-01")],
    "unsure": [(10, "05-20")],
    "early": [(50, "07-30")],
    "refunded": [(50, "07-30")],
}


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Workloads that saved a little more or less than what decides, of $100 an epoch on GPU."""
    world = World(tmp_path_factory.mktemp("edges"))
    for workload in SPENT:
        ran(world, workload, "g", "05-02", 200, kind=P4D)
    for workload, day, cost in (
        ("level", "08-20", 100), ("penny", "08-20", "99.90"), ("short", "08-20", "100.50"),
        ("quarter", "08-05", 0.25), ("quarter", "08-06", 50), ("monday", "06-30", 110),
        ("free", "08-20", 90), ("inch", "08-20", "90.50"), ("inch", "08-21", 95),
        ("early", "08-06", 40),
    ):  # fmt: skip
        ran(world, workload, f"t-{day}", day, cost)
    for place, day in enumerate(MONDAYS):
        ran(world, "dozen", f"t{place}", day, {0: 1100, 1: 50}.get(place, 104))
    ran(world, "dozen", "t-late", "10-29", 104)  # its week has no settled work
    for place in range(9):
        ran(world, "keep", f"t{place}", "09-01", 0.25)
    for place, day in enumerate(("06-02", *MONDAYS[1:])):
        ran(world, "unsure", f"t{place}", day, 104 if place else 20)
    ported = {"workload": "unsure", "run": "port"}
    world.hours("2025-10-15T00:00:00", 1, TRN1, 0, ported, ListCost=0)
    kept = {"workload": "early", "run": "t-08-06"}
    world.charge("2025-08-01T00:00:00", -60, x_UsageType="EBS:VolumeUsage.gp3", tags=kept)
    own = {"workload": "refunded"}
    world.hours("2025-08-10T00:00:00", 1, TRN1, 10, own)
    world.sample("2025-08-10T00:00:00", "lost", 1, workload="refunded")
    world.charge("2025-08-11T00:00:00", -100, x_UsageType=f"BoxUsage:{TRN1}", tags=own)
    world.charge("2025-10-30T00:00:00", 1)
    upkeep = {"workload": "keep", "kind": "upkeep", "amount_per_month": 31}
    promised = {"workload": "free", "kind": "funding", "amount": -5, "date": date(2025, 10, 30)}
    spent = [*entries(SPENT), upkeep | {"date": date(2025, 10, 28)}, promised]
    settings = world.pulled(
        baseline={"method": "measured", "min_runs": 1},
        investments=spent,
        runs=[{"run": "port", "workload": "unsure", "purpose": "port"}],
    )
    return some_marts(settings, "break_even", "monthly_summary")


NAMES = ("status", "break_even_date", "runs_to_break_even")


@pytest.mark.parametrize(
    ("workload", "status", "even", "runs"),
    [
        ("level", "recovering", None, None),
        ("penny", "recovering", None, 11),  # $1.10 at $0.10
        ("short", "losing", None, None),
        ("dozen", "losing", None, None),  # 11 times $4; the $50 of 4 August are before the window
        ("quarter", "recovering", None, 18),  # $850.25 at the $50 of the one run in the window
        ("keep", "recovering", None, 21),  # $1,994 at $896.75 ÷ 9: the day's upkeep is paid
        ("inch", "broke_even", date(2025, 8, 21), 0),  # $0.50 short on the first day
        ("unsure", "losing", None, None),
        ("early", "broke_even", date(2025, 8, 6), 0),  # not with what came back before it moved
        ("refunded", "investing", None, None),
    ],
)
def test_what_decides_is_where_it_stands_to_the_cent_and_to_the_day(
    edges: Marts, workload: str, status: str, even: date | None, runs: int | None
) -> None:
    standing = edges.standing(workload)
    assert tuple(standing[name] for name in NAMES) == (status, even, runs)


def test_the_pace_is_that_of_84_days(edges: Marts) -> None:
    """The run of 5 August is a day too old; all others have not run for 84 days yet, or lose."""
    names = ("level", "penny", "short", "dozen", "quarter", "keep")
    months = {workload: edges.standing(workload)["payback_months"] for workload in names}
    assert months == dict.fromkeys(names) | {
        "quarter": pytest.approx(850.25 / (50 * 52 / 144)),
    }
    assert edges.standing("quarter")["forward_per_month"] == Decimal("18.055555556")


def test_a_months_status_looks_at_the_84_days_until_its_last_day(edges: Marts) -> None:
    """The only run of "monday" is on the 30th of June."""
    rows = edges.rows(
        "SELECT month, workload, status FROM monthly_summary "
        "WHERE workload IN ('dozen', 'monday') AND month IN ('2025-06', '2025-07') ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-06", "dozen", "investing"),
        ("2025-06", "monday", "losing"),
        ("2025-07", "dozen", "losing"),
        ("2025-07", "monday", "losing"),
    ]


def test_nothing_spent_up_to_the_last_settled_day_and_funding_to_come_are_no_investment(
    edges: Marts,
) -> None:
    assert edges.standing("free")["reason"] == WORDS["no_investment"]

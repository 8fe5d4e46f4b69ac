"""METHOD §6, forecast: from the bill to the dates in `break_even`."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

GPU, TRN = "p4d.24xlarge", "trn1.32xlarge"
CUTOVER = date(2025, 9, 1)
LAST = date(2025, 10, 28)


def company(folder: Path) -> World:
    """$200 an epoch on GPU, five runs alike; $150 on Trainium, from September one each Monday."""
    world = World(folder)
    for place in range(5):
        day = date(2025, 6, 25) + timedelta(days=7 * place)
        world.run(f"g{place}", GPU, f"{day}T00:00:00", 20, 20, 2)
    for week in range(9):
        day = CUTOVER + timedelta(weeks=week)
        world.run(f"t{week}", TRN, f"{day}T00:00:00", 10, 15, 1)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return world


@pytest.fixture(scope="module")
def recovering(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """$1,000 invested, $100 planned."""
    world = company(tmp_path_factory.mktemp("company"))
    invested = {"workload": "atlas-7b", "kind": "tooling"}
    return some_marts(
        world.pulled(
            baseline={"method": "measured"},
            investments=[
                invested | {"date": date(2025, 8, 15), "amount": Decimal(1000)},
                invested | {"date": date(2025, 11, 20), "amount": Decimal(100)},
            ],
        ),
        "break_even",
        "forecast_paths",
    )


def test_the_date_follows_from_what_is_owed_and_what_a_week_saves(recovering: Marts) -> None:
    """$450 saved so far, $650 to go with the planned $100: 13 weeks at $50 a week."""
    standing = recovering.standing()
    assert standing["cumulative_net"] == -550
    found = {standing[f"forecast_{name}"] for name in ("low", "median", "high")}
    assert found == {LAST + timedelta(weeks=13)}
    assert standing["never_share"] == 0
    assert standing["forecast_reason"] == "from 5 GPU runs, 9 Trainium runs and 8 weeks"
    assert standing["reason"].endswith("; forecast: from 5 GPU runs, 9 Trainium runs and 8 weeks")


def test_the_saving_per_epoch_of_runs_alike_is_certain(recovering: Marts) -> None:
    standing = recovering.standing()
    assert standing["saving_per_epoch"] == standing["saving_low"] == standing["saving_high"] == 50
    assert standing["trn_epoch_low"] == standing["trn_epoch_high"] == 150
    assert standing["baseline_low"] == standing["baseline_high"] == 0


def test_the_fan_begins_where_the_curve_ends(recovering: Marts) -> None:
    rows = recovering.rows(
        "SELECT * FROM forecast_paths WHERE workload = 'atlas-7b' ORDER BY date LIMIT 5"
    )
    assert [row["date"] for row in rows] == [LAST + timedelta(weeks=week) for week in range(5)]
    assert [row["median"] for row in rows] == [-550, -500, -450, -400, -450]
    assert all(row["low"] == row["median"] == row["high"] for row in rows)


def test_the_portfolio_is_the_sum_of_its_workloads(recovering: Marts) -> None:
    workload, portfolio = recovering.standing(), recovering.standing("(portfolio)")
    for name in ("forecast_median", "never_share", "saving_low"):
        assert portfolio[name] == workload[name]
    assert portfolio["forecast_reason"] == "the sum of 1 workload"


def test_neither_a_price_cut_nor_idle_hours_nor_other_work_are_spread(tmp_path: Path) -> None:
    """The first GPU run was twice as dear, by its list price too: today it would be as the others.

    With $100 of a run that failed $250 an epoch, so $100 a week, less $7 of the workload's own
    hours without a run. In the portfolio $58 of hours that nobody used in the 58 days since the
    cutover take $7 more of each week. A Trainium run of another recipe is none of the runs.
    """
    world = company(tmp_path)
    world.run("t9", TRN, "2025-09-03T00:00:00", 10, 99, 1, recipe="lora")
    for charge in world.charges:
        if '"g0"' in str(charge.get("Tags")):
            charge |= {name: 2 * charge[name] for name in ("EffectiveCost", "ListCost")}
    failed = {"workload": "atlas-7b", "run": "g9"}
    world.hours("2025-07-04T00:00:00", 5, GPU, 20, failed)
    world.sample("2025-07-04T00:00:00", "g9", 0)
    world.charge("2025-10-01T00:00:00", 58, x_UsageType=f"UnusedBox:{TRN}", ConsumedQuantity=4)
    for week in range(9):
        day = CUTOVER + timedelta(weeks=week, days=1)
        world.hours(f"{day}T00:00:00", 1, TRN, 7, {"workload": "atlas-7b"})
    investment = {"workload": "atlas-7b", "kind": "tooling", "date": date(2025, 8, 15)}
    settings = world.pulled(
        baseline={"method": "measured"},
        investments=[investment | {"amount": Decimal(1937)}],
    )
    marts = some_marts(settings, "break_even", "forecast_paths")
    weeks = "SELECT median FROM forecast_paths WHERE workload = ? ORDER BY date LIMIT 3"
    paths = {
        name: [row["median"] for row in marts.rows(weeks, name)]
        for name in ("atlas-7b", "(portfolio)")
    }
    assert paths == {"atlas-7b": [-1100, -1007, -914], "(portfolio)": [-1158, -1072, -986]}
    standing = marts.standing()
    assert standing["baseline_low"] == standing["baseline_high"] == 0
    assert standing["saving_low"] == standing["saving_high"] == 100
    assert standing["forecast_reason"] == "from 5 GPU runs, 9 Trainium runs and 8 weeks"

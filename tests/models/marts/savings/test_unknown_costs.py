"""METHOD §2.5: what no known cost has stays unknown in every figure that it is part of."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from models.contract.schema import PORTFOLIO
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, GPU = "trn1.32xlarge", "p4d.24xlarge"
PLAN = {"CommitmentDiscountId": "plan-1", "CommitmentDiscountStatus": "Used",
        "PricingCategory": "Committed", "BilledCost": 0}  # fmt: skip


@pytest.fixture(scope="module")
def billed(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """On the billed basis: a Savings Plan pays the one run on Trainium, and one on GPU in June."""
    return as_billed(tmp_path_factory.mktemp("billed"))


def as_billed(folder: Path) -> Marts:
    world = World(folder)
    for run, day in (("g1", "02"), ("g2", "12"), ("g3", "22")):
        world.run(run, GPU, f"2025-05-{day}T00:00:00", 24, 25, 10)
    planned = (("g4", "2025-06-02", GPU, 25), ("t1", "2025-09-02", TRN1, 16))
    for run, start, machine, rate in planned:
        tags = {"workload": "atlas-7b", "run": run}
        world.hours(f"{start}T00:00:00", 24, machine, rate, tags, **PLAN)
    for hour in (0, 23):
        world.sample(f"2025-09-02T{hour:02}:00:00", "t1", hour / 23 * 8, loss=1.5)
    world.charge("2025-10-30T00:00:00", 1)
    settings = world.pulled(cost={"basis": "billed"})
    return some_marts(settings, "break_even", "monthly_summary", "savings_daily", "portfolio_daily")


@pytest.mark.parametrize("workload", ["atlas-7b", PORTFOLIO])
def test_a_month_of_which_no_trainium_cost_is_known_has_none_and_saves_nothing_known(
    billed: Marts, workload: str
) -> None:
    rows = billed.rows(
        "SELECT month, trn_cost, counterfactual, gross_saving, net_saving, status "
        "FROM monthly_summary WHERE workload = ? AND month IN ('2025-08', '2025-09') "
        "ORDER BY month",
        workload,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-08", 0, 0, 0, 0, "not_started"),
        ("2025-09", None, None, None, None, "insufficient_baseline"),
    ]


@pytest.mark.parametrize("workload", ["atlas-7b", PORTFOLIO])
def test_a_month_of_which_a_gpu_cost_is_unknown_has_none(billed: Marts, workload: str) -> None:
    rows = billed.rows(
        "SELECT month, gpu_cost, gpu_cost_per_epoch FROM monthly_summary "
        "WHERE workload = ? AND month IN ('2025-05', '2025-06', '2025-07') ORDER BY month",
        workload,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-05", 1800, 60),
        ("2025-06", None, None),
        ("2025-07", 0, None),
    ]


@pytest.mark.parametrize("workload", ["atlas-7b", PORTFOLIO])
def test_a_run_that_settled_is_no_lack_of_runs_though_its_cost_is_unknown(
    billed: Marts, workload: str
) -> None:
    row = billed.standing(workload)
    assert (row["status"], row["cumulative_net"]) == ("insufficient_baseline", None)
    assert row["left_out"] == {"cost_unknown": None}
    assert row["reason"].startswith(
        "the cost of no Trainium run is known: no saving is claimed; Trainium runs are left out: "
        "as billed, hours that a plan or a Capacity Block paid for have no cost of their own"
    )


def test_a_day_of_such_a_run_has_an_unknown_cost(billed: Marts) -> None:
    rows = billed.rows(
        "SELECT date, trn_cost, gross_saving FROM savings_daily "
        "WHERE date BETWEEN '2025-09-01' AND '2025-09-03' ORDER BY date"
    )
    assert [tuple(row.values()) for row in rows] == [
        (date(2025, 9, 1), 0, 0),
        (date(2025, 9, 2), None, None),
        (date(2025, 9, 3), 0, 0),
    ]

"""METHOD §3.4, §4: cost whose work its unit does not count is in no cost per unit, on any page.

GPU hours cost $10 and Trainium hours $5. On GPU an epoch costs $40, on Trainium $4.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.support.marts.kinds_of_work import P4D, did
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TOKENS = {"tokens": 50 * 10**9}
SIZE = {"samples_per_epoch": 10**6}
SILENT = ("gpu silent", "trn silent")


def moved(world: World, workload: str, *, gpu: bool = True, trn: bool = True) -> partial[None]:
    """Two GPU runs of 10 epochs and $400, and a Trainium run of 10 epochs and $40."""
    ran = partial(did, world, workload=workload, recipe="full")
    for run, day in (("g", "05-01"), ("h", "05-06")):
        if gpu:
            ran(run, day, 40, 10, P4D)
    if trn:
        ran("t", "09-01", 8, 10)
    return ran


def several(world: World, run: str) -> None:
    """The last sample of the last run is of another recipe than those before."""
    assert world.samples[-1]["run"] == run
    world.samples[-1]["recipe"] = "qlora"


def other_work(world: World) -> None:
    """Runs that report other counters, epochs of another size, or two recipes."""
    ran = moved(world, "tokens")
    ran("gpu tokens", "05-11", 40, None, P4D, **TOKENS)
    ran("trn tokens", "09-11", 8, None, **TOKENS)
    ran = moved(world, "sizes")
    ran("gpu sized", "05-11", 10, 10, P4D, **SIZE)
    ran("trn sized", "09-11", 8, 5, **SIZE)
    ran = moved(world, "recipes")
    ran("gpu both", "05-11", 10, 10, P4D)
    several(world, "gpu both")
    ran("trn both", "09-11", 8, 5)
    several(world, "trn both")


def no_work(world: World) -> None:
    """Runs that never report how far they got, and workloads that trained on one chip alone."""
    ran = moved(world, "failed")
    ran("gpu silent", "05-11", 40, None, P4D)
    ran("trn silent", "09-11", 8, None)
    world.samples = [one for one in world.samples if one["run"] not in SILENT]
    ran = moved(world, "resumed")
    ran("parent", "05-11", 40, None, P4D, step=1)
    ran("heir", "09-11", 8, None, step=1, resumed_from="parent")
    ran = moved(world, "born here", gpu=False)
    ran("trn tokens", "09-11", 8, None, **TOKENS)
    ran = moved(world, "none alike", trn=False)
    ran("trn sized", "09-11", 8, 5, **SIZE)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("uncounted"))
    for case in (other_work, no_work):
        case(world)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    settings = world.pulled(baseline={"method": "measured", "min_runs": 2})
    asked = ("cost_per_epoch", "runs", "monthly_summary", "results", "alternatives")
    return some_marts(settings, *asked)


GPU, TRN = (800, 20, 40, 2), (40, 10, 4, 1)
FIGURES = {
    "tokens": {"gpu": GPU, "trainium": TRN},
    "sizes": {"gpu": GPU, "trainium": TRN},
    "recipes": {"gpu": GPU, "trainium": TRN},
    "failed": {"gpu": GPU, "trainium": (80, 10, 8, 2)},
    "resumed": {"gpu": GPU, "trainium": (80, 10, 8, 2)},
    "born here": {"trainium": TRN},
    "none alike": {"gpu": GPU},
}
"""Cost, work, their ratio and runs: a Trainium run that never reported failed, and counts.

Also where it resumed a GPU run; that one's cost is in no cost per epoch of GPU.
"""


@pytest.mark.parametrize("workload", FIGURES)
@pytest.mark.parametrize("period", ["week", "month"])
def test_cost_and_work_of_the_mart_are_of_lineages_that_the_unit_counts(
    marts: Marts, workload: str, period: str
) -> None:
    rows = marts.rows(
        "SELECT hardware, sum(cost) AS cost, sum(epochs) AS epochs, sum(runs) AS runs, "
        "max(cost_per_epoch) AS highest, min(cost_per_epoch) AS lowest "
        "FROM cost_per_epoch WHERE workload = ? AND period = ? GROUP BY hardware",
        workload,
        period,
    )
    found = {
        row["hardware"]: (row["cost"], row["epochs"], row["cost"] / row["epochs"], row["runs"])
        for row in rows
    }
    assert found == FIGURES[workload]
    if period == "month":
        assert all(row["highest"] == row["lowest"] for row in rows)


def test_the_run_that_resumed_a_gpu_run_is_of_one_lineage_with_it(marts: Marts) -> None:
    rows = marts.rows("SELECT run, lineage FROM runs WHERE lineage = 'parent' ORDER BY run")
    assert [row["run"] for row in rows] == ["heir", "parent"]


COSTS = {
    "tokens": (1200, 80), "sizes": (900, 80), "recipes": (900, 80), "failed": (1200, 80),
    "resumed": (1200, 80),
    "born here": (0, 80), "none alike": (800, 40),
}  # fmt: skip
"""On GPU and on Trainium, of all production."""
APART = {"tokens": 40, "sizes": 40, "recipes": 40, "born here": 80, "none alike": 40}


@pytest.mark.parametrize("workload", FIGURES)
def test_a_months_dollars_are_all_and_its_cost_per_unit_is_the_marts(
    marts: Marts, workload: str
) -> None:
    months = {
        row["month"]: row
        for row in marts.rows("SELECT * FROM monthly_summary WHERE workload = ?", workload)
    }
    for side, hardware, month in (("gpu", "gpu", "2025-05"), ("trn", "trainium", "2025-09")):
        row: dict[str, Any] = months.get(month, {})
        if hardware in FIGURES[workload]:
            _, epochs, each, _ = FIGURES[workload][hardware]
            assert (row[f"{side}_epochs"], row[f"{side}_cost_per_epoch"]) == (epochs, each)
            assert row[f"{side}_cost"] == COSTS[workload][side == "trn"]
    assert (months["2025-09"]["left_out"] or {}).get("not_comparable") == APART.get(workload)


@pytest.mark.parametrize("workload", FIGURES)
def test_a_result_is_priced_as_a_unit_is(marts: Marts, workload: str) -> None:
    rows = marts.rows("SELECT * FROM results WHERE workload = ?", workload)
    found = {row["hardware"]: row["cost_per_epoch"] for row in rows}
    assert found == {side: each for side, (_, _, each, _) in FIGURES[workload].items()}


def test_another_gpu_is_held_against_work_that_is_counted(marts: Marts) -> None:
    rows = marts.rows("SELECT DISTINCT workload, trn_cost_per_epoch FROM alternatives")
    found = {row["workload"]: row["trn_cost_per_epoch"] for row in rows}
    assert found == dict.fromkeys(("tokens", "sizes", "recipes"), 4) | {
        "failed": 8, "resumed": 8, "none alike": None,
    }  # fmt: skip

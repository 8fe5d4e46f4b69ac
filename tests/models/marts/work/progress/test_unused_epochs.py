"""An epoch counter that stays at 0 says nothing: tokens beside it count as if it were not there."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1 = "trn1.32xlarge"
BILLION = 10**9


def job(world: World, workload: str, run: str, day: int, *tokens: float, epoch: object = 0) -> None:
    """A job of some hours, which reports its billions of tokens each hour."""
    at = f"2025-09-{day:02}T{{:02}}:00:00"
    world.hours(at.format(0), len(tokens), TRN1, 16, {"workload": workload, "run": run})
    for hour, billions in enumerate(tokens):
        counted = int(Decimal(str(billions)) * BILLION)
        world.sample(at.format(hour), run, epoch, workload=workload, tokens=counted)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("stream"))
    for epoch, workload in ((0, "stream"), (None, "without")):
        job(world, workload, f"{workload} 1", 2, *range(21), epoch=epoch)
        job(world, workload, f"{workload} 2", 3, *range(20, 41), epoch=epoch)
    job(world, "whole", "first", 2, 0, 5, 10, epoch=0)
    job(world, "whole", "second", 3, 0, 5, epoch=1)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(world.pulled(), "progress_daily", "runs")


@pytest.mark.parametrize("workload", ["stream", "without"])
def test_a_job_that_goes_on_from_a_checkpoint_counts_its_own_tokens(
    marts: Marts, workload: str
) -> None:
    """From 20 to 40 billion without `resumed_from`: the 20 billion of the first job count once."""
    told = marts.rows(
        "SELECT run, sum(epochs) AS epochs, sum(tokens) AS tokens FROM progress_daily "
        "WHERE workload = ? GROUP BY run ORDER BY run",
        workload,
    )
    both = [f"{workload} 1", f"{workload} 2"]
    assert [(row["run"], row["tokens"] / BILLION) for row in told] == [(run, 20) for run in both]
    flags = "SELECT list_contains(flags, 'undeclared_start') AS late FROM runs WHERE run = ?"
    assert [marts.row(flags, run)["late"] for run in both] == [False, True]


def test_an_epoch_that_is_not_over_yet_is_one_where_other_runs_have_some(marts: Marts) -> None:
    told = marts.row("SELECT sum(epochs) AS epochs FROM progress_daily WHERE run = 'first'")
    assert told == {"epochs": 0}

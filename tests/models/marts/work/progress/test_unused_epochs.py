"""An epoch counter that stays at 0 says nothing: tokens beside it count as if it were not there."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.contract.schema import BESIDE, CONFIG, PROGRESS
from models.marts.work.progress.samples import samples
from tests.support.marts.charged_machines import CHARGES
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1 = "trn1.32xlarge"
BILLION = 10**9


def job(
    world: World, workload: str, run: str, day: int, *tokens: float, epoch: object = 0, **said: str
) -> None:
    """A job of some hours, which reports its billions of tokens each hour."""
    at = f"2025-09-{day:02}T{{:02}}:00:00"
    world.hours(at.format(0), len(tokens), TRN1, 16, {"workload": workload, "run": run})
    for hour, billions in enumerate(tokens):
        counted = int(Decimal(str(billions)) * BILLION)
        world.sample(at.format(hour), run, epoch, workload=workload, tokens=counted, **said)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("stream"))
    for epoch, workload in ((0, "stream"), (None, "without")):
        job(world, workload, f"{workload} 1", 2, *range(21), epoch=epoch)
        job(world, workload, f"{workload} 2", 3, *range(20, 41), epoch=epoch)
    job(world, "whole", "first", 2, 0, 5, 10, epoch=0)
    job(world, "whole", "second", 3, 0, 5, epoch=1)
    job(world, "beside", "beside 1", 2, *range(21), recipe="pretrain")
    job(world, "beside", "beside 2", 3, *range(20, 41), recipe="sft")
    job(world, "beside", "tuned", 4, 0, 5, epoch=3, recipe="sft")
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    told = [{"workload": "beside", "run": "beside 2", "recipe": "pretrain"}]
    return some_marts(world.pulled(runs=told), "progress_daily", "runs")


@pytest.mark.parametrize("workload", ["stream", "without", "beside"])
def test_a_job_that_goes_on_from_a_checkpoint_counts_its_own_tokens(
    marts: Marts, workload: str
) -> None:
    """From 20 to 40 billion without `resumed_from`: the 20 billion of the first job count once.

    Beside it another recipe counts epochs; the config names that of the second job.
    """
    told = marts.rows(
        "SELECT run, sum(epochs) AS epochs, sum(tokens) AS tokens FROM progress_daily "
        "WHERE workload = ? AND run <> 'tuned' GROUP BY run ORDER BY run",
        workload,
    )
    both = [f"{workload} 1", f"{workload} 2"]
    assert [(row["run"], row["tokens"] / BILLION) for row in told] == [(run, 20) for run in both]
    flags = "SELECT list_contains(flags, 'undeclared_start') AS late FROM runs WHERE run = ?"
    assert [marts.row(flags, run)["late"] for run in both] == [False, True]


def test_an_epoch_that_is_not_over_yet_is_one_where_other_runs_have_some(marts: Marts) -> None:
    told = marts.row("SELECT sum(epochs) AS epochs FROM progress_daily WHERE run = 'first'")
    assert told == {"epochs": 0}


@pytest.mark.parametrize(("extra", "epoch"), [([], None), (["recipe"], 0)])
def test_where_tags_may_state_the_recipe_it_has_to_be_no_run_of_the_workload(
    extra: list[str], epoch: int | None
) -> None:
    """One run states its recipe in its samples; its tag may give the other run the same one."""
    usual = {"workload": "w", "observed_at": datetime(2025, 9, 1), "source": "file", "tokens": 5}  # noqa: DTZ001 - UTC
    told = [usual | {"run": "a", "recipe": "full", "epoch": 0}, usual | {"run": "b", "epoch": 3}]
    settings = validated_settings({"as_of": "2025-10-31", "tags": {"extra": extra}}, home=Path())
    config = (table(CONFIG[name]) for name in ("config_runs", "config_workloads"))
    made = applied(
        samples,
        table(PROGRESS, *told),
        table(BESIDE["held_times"]),
        table(CHARGES),
        *config,
        settings,
    )
    assert dict(rows(made, "run", "epoch")) == {"a": epoch, "b": 3}

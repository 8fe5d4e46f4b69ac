"""Logs of Transformers and of Lightning, from the files to the cost of an epoch."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.settings import Settings
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

LOGS = Path("tests/fixtures/training_logs")
D = Decimal
GPU, TRN = ("p4d.24xlarge", 10), ("trn1.32xlarge", 9)
HOURS = [("gpu-1", "2025-09-01", 30, *GPU), ("trn-1", "2025-09-10", 20, *TRN)]
RESUMED = ("trn-2", "2025-09-11", 10, *TRN)


def pulled(folder: Path, kind: str, logs: str, *hours: Any, **config: object) -> Settings:  # noqa: ANN401
    """What was pulled of logs, and of a bill with the hours of their runs."""
    shutil.copytree(LOGS / logs, folder / "logs", dirs_exist_ok=True)
    world = World(folder)
    for run, day, lasted, machine, rate in hours:
        tags = {"workload": "atlas-7b", "run": run}
        world.hours(f"{day}T00:00:00", lasted, machine, rate, tags)
    bill, own = {"kind": "focus", "location": "bill.csv"}, {"kind": kind, "location": "logs"}
    return world.pulled(sources=[bill, own], **config)


def worked(marts: SomeMarts) -> list[tuple[Any, ...]]:
    """Per run: cost, epochs, repeated epochs, cost of an epoch, start-up, and flags."""
    rows = marts.rows(
        "SELECT run, cost, epochs, repeated_epochs, cost_per_epoch, startup_cost, flags "
        "FROM runs ORDER BY run"
    )
    return [tuple(row.values()) for row in rows]


def test_three_epochs_that_a_trainer_of_transformers_logged_cost_what_their_hours_did(
    tmp_path: Path,
) -> None:
    """`trn-2` begins with the log of `trn-1`, whose two epochs it does not count again."""
    resumed = [{"run": "trn-2", "resumed_from": "trn-1"}]
    settings = pulled(tmp_path, "trainer_state", "transformers", *HOURS, RESUMED, runs=resumed)
    marts = some_marts(settings, "runs", "cost_per_epoch")
    laid = ["timed_by_allocation"]
    assert worked(marts) == [
        ("gpu-1", D(300), D(3), D(0), D(100), D(0), laid),
        ("trn-1", D(180), D(2), D(0), D(90), D(0), laid),
        ("trn-2", D(90), D(1), D(0), D(90), D(0), laid),
    ]
    asked = "SELECT hardware, cost_per_epoch FROM cost_per_epoch WHERE period = 'month'"
    found = [tuple(row.values()) for row in marts.rows(f"{asked} ORDER BY hardware")]
    assert found == [("gpu", D(100)), ("trainium", D(90))]


def test_versions_of_lightning_are_one_run_and_a_test_after_training_is_no_step(
    tmp_path: Path,
) -> None:
    """`trn-1` ended at step 170 and went on from step 100, in a version of its own."""
    settings = pulled(tmp_path, "lightning", "lightning", *HOURS)
    laid = ["timed_by_allocation"]
    assert worked(some_marts(settings, "runs")) == [
        ("gpu-1", D(300), D(3), D(0), D(100), D(0), laid),
        ("trn-1", D(180), D(3), D(0), D(60), D(0), laid),
    ]


def test_a_run_of_lightning_that_the_config_says_was_resumed_goes_on_from_its_first_step(
    tmp_path: Path,
) -> None:
    """`trn-2` took over after three epochs and did two, on four days: half of one on each."""
    log = tmp_path / "logs/atlas-7b/trn-2/lightning_logs/version_0/metrics.csv"
    log.parent.mkdir(parents=True)
    lines = (f"{step // 100},{step},0.5\n" for step in range(300, 500))
    log.write_text("epoch,step,train_loss\n" + "".join(lines))
    days = [("trn-2", f"2025-09-{day}", 24, *TRN) for day in (11, 12, 13, 14)]
    resumed = [{"run": "trn-2", "resumed_from": "trn-1"}]
    settings = pulled(tmp_path, "lightning", "lightning", *HOURS, *days, runs=resumed)
    marts = some_marts(settings, "progress_daily")
    asked = "SELECT epochs FROM progress_daily WHERE run = 'trn-2' ORDER BY date"
    assert [round(row["epochs"], 1) for row in marts.rows(asked)] == [D("0.5")] * 4


@pytest.mark.parametrize("kind", ["trainer_state", "lightning"])
def test_a_run_that_neither_jobs_nor_the_bill_name_has_no_time_and_is_named(
    tmp_path: Path, kind: str
) -> None:
    logs = {"trainer_state": "transformers", "lightning": "lightning"}[kind]
    marts = some_marts(pulled(tmp_path, kind, logs, HOURS[0]), "unmatched_runs", "runs")
    named = "SELECT DISTINCT run FROM unmatched_runs WHERE cause = 'samples_without_time'"
    assert "trn-1" in [row["run"] for row in marts.rows(named)]
    assert [run for run, *_ in worked(marts)] == ["gpu-1"]

"""Logs of Transformers and of Lightning, from the files to the cost of an epoch."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

LOGS = Path("tests/fixtures/training_logs")
D = Decimal
GPU, TRN = ("p4d.24xlarge", 10), ("trn1.32xlarge", 9)
HOURS = [("gpu-1", "2025-09-01", 30, *GPU), ("trn-1", "2025-09-10", 20, *TRN)]
RESUMED = [{"run": "trn-2", "resumed_from": "trn-1"}]


def marts(folder: Path, kind: str, *hours: Any) -> SomeMarts:  # noqa: ANN401
    """What is made of the logs in a folder, and of a bill with the hours of their runs."""
    world = World(folder)
    for run, day, lasted, machine, rate in (*HOURS, *hours):
        tags = {"workload": "atlas-7b", "run": run}
        world.hours(f"{day}T00:00:00", lasted, machine, rate, tags)
    bill, own = {"kind": "focus", "location": "bill.csv"}, {"kind": kind, "location": "logs"}
    settings = world.pulled(sources=[bill, own], runs=RESUMED)
    return some_marts(settings, "runs", "cost_per_epoch", "progress_daily", "unmatched_runs")


@pytest.fixture(scope="module")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """`trn-2` begins with the log of `trn-1`; `lost` is one that the bill does not name."""
    folder = tmp_path_factory.mktemp("transformers")
    logs = shutil.copytree(LOGS / "transformers", folder / "logs") / "atlas-7b"
    state = json.loads((logs / "gpu-1/trainer_state.json").read_text())
    for logged in state["log_history"]:
        logged["loss"] = 3.5
    (logs / "lost").mkdir()
    (logs / "lost/trainer_state.json").write_text(json.dumps(state))
    return marts(folder, "trainer_state", ("trn-2", "2025-09-11", 10, *TRN))


@pytest.fixture(scope="module")
def lightning(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """`trn-2` took over after three epochs of `trn-1` and did two; the bill does not name `lost`.

    `trn-1` ended at step 170 and went on from step 100, in a version of its own.
    """
    folder = tmp_path_factory.mktemp("lightning")
    logs = shutil.copytree(LOGS / "lightning", folder / "logs") / "atlas-7b"
    shutil.copytree(logs / "gpu-1", logs / "lost")
    log = logs / "trn-2/lightning_logs/version_0/metrics.csv"
    log.parent.mkdir(parents=True)
    lines = (f"{step // 100},{step},0.5\n" for step in range(300, 500))
    log.write_text("epoch,step,train_loss\n" + "".join(lines))
    days = (("trn-2", f"2025-09-{day}", 24, *TRN) for day in (11, 12, 13, 14))
    return marts(folder, "lightning", *days)


def worked(marts: SomeMarts) -> list[tuple[Any, ...]]:
    """Per run: cost, epochs, repeated epochs, cost of an epoch, start-up, and flags."""
    rows = marts.rows(
        "SELECT run, cost, epochs, repeated_epochs, cost_per_epoch, startup_cost, flags "
        "FROM runs ORDER BY run"
    )
    return [tuple(row.values()) for row in rows]


def test_three_epochs_that_a_trainer_of_transformers_logged_cost_what_their_hours_did(
    transformers: SomeMarts,
) -> None:
    """`trn-2` does not count again the two epochs of `trn-1`, whose log it begins with."""
    laid = ["timed_by_allocation"]
    assert worked(transformers) == [
        ("gpu-1", D(300), D(3), D(0), D(100), D(0), laid),
        ("trn-1", D(180), D(2), D(0), D(90), D(0), laid),
        ("trn-2", D(90), D(1), D(0), D(90), D(0), laid),
    ]
    asked = "SELECT hardware, cost_per_epoch FROM cost_per_epoch WHERE period = 'month'"
    found = [tuple(row.values()) for row in transformers.rows(f"{asked} ORDER BY hardware")]
    assert found == [("gpu", D(100)), ("trainium", D(90))]


def test_versions_of_lightning_are_one_run_and_a_test_after_training_is_no_step(
    lightning: SomeMarts,
) -> None:
    laid = ["timed_by_allocation"]
    first, second, third = worked(lightning)
    assert [first, second] == [
        ("gpu-1", D(300), D(3), D(0), D(100), D(0), laid),
        ("trn-1", D(180), D(3), D(0), D(60), D(0), laid),
    ]
    assert third[0] == "trn-2"


def test_a_run_of_lightning_that_the_config_says_was_resumed_goes_on_from_its_first_step(
    lightning: SomeMarts,
) -> None:
    """Two epochs on four days: half of one on each."""
    asked = "SELECT epochs FROM progress_daily WHERE run = 'trn-2' ORDER BY date"
    assert [round(row["epochs"], 1) for row in lightning.rows(asked)] == [D("0.5")] * 4


@pytest.mark.parametrize("kind", ["transformers", "lightning"])
def test_a_run_that_neither_jobs_nor_the_bill_name_has_no_time_and_is_named(
    request: pytest.FixtureRequest, kind: str
) -> None:
    made: SomeMarts = request.getfixturevalue(kind)
    named = "SELECT DISTINCT run FROM unmatched_runs WHERE cause = 'samples_without_time'"
    assert [row["run"] for row in made.rows(named)] == ["lost"]
    assert [run for run, *_ in worked(made)] == ["gpu-1", "trn-1", "trn-2"]

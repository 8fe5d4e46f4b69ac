"""MLflow: a real tracking server, asked over HTTP."""

from __future__ import annotations

import math
import uuid
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest import sources
from ingest.doctor import examine
from ingest.pull import Report, pull
from ingest.servers import json_server
from ingest.source import Window
from ingest.sources.progress.mlflow import tracking_server
from models.config.settings import Settings
from models.contract.errors import ConfigError, InputError, SourceError
from models.raw.delivery import Delivery
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.mlflow_experiments import Experiment, instant
from tests.support.ingest.price_answers import told


@pytest.fixture
def experiment(mlflow_server: str) -> Experiment:
    return Experiment(mlflow_server, f"pretrain-{uuid.uuid4().hex[:8]}")


def settings(configured: Configured, experiment: Experiment, **options: object) -> Settings:
    url = experiment.api.partition("/api")[0]
    source = {"kind": "mlflow", "location": url, "experiments": [experiment.name], **options}
    made: Settings = configured(source, as_of="2025-10-31")
    return made


def brought(config: Settings, window: Window | None = None) -> Report:
    report = pull(config, ["mlflow"], window or Window())
    report.raise_failures()
    return report


def live(config: Settings) -> dict[str, Delivery]:
    return {d.key.period: d for d in RawZone(config.data / "raw").live("mlflow")}


def samples(config: Settings) -> list[dict[str, Any]]:
    """Delivered samples, typed, in order of time."""
    return sorted(told(config, "mlflow"), key=lambda row: (row["run"], row["observed_at"]))


def test_values_come_with_their_times_and_the_tags_that_a_bill_has(
    configured: Configured, experiment: Experiment
) -> None:
    labels = {"workload": "atlas-7b", "run": "atlas-t7", "recipe": "full", "purpose": "Port"}
    run = experiment.run("gifted-crab", "2025-10-20T00:00:00", **labels)
    experiment.parameter(run, "samples_per_epoch", "1000000")
    experiment.parameter(run, "tokens_per_step", "4096")
    experiment.log(run, "epoch", [("2025-10-20T01:00:00", 0.5), ("2025-10-21T02:00:00", 1.25)])
    experiment.log(
        run, "loss", [("2025-10-20T01:00:00", 2.5), ("2025-10-20T02:00:00", float("nan"))]
    )
    experiment.log(run, "grad_norm", [("2025-10-20T01:00:00", 7.0)])
    config = settings(configured, experiment)
    brought(config)
    assert list(live(config)) == ["2025-10-20"]
    first, nothing, last = samples(config)
    assert f"{first['observed_at']:%d %H:%M}" == "20 01:00"
    assert (first["workload"], first["run"]) == ("atlas-7b", "atlas-t7")
    assert (first["recipe"], first["purpose"]) == ("full", "port")
    assert (first["epoch"], first["loss"]) == (Decimal("0.5"), 2.5)
    assert first["samples_per_epoch"] == 1_000_000
    assert nothing["epoch"] is None
    assert math.isnan(nothing["loss"])
    assert (last["epoch"], last["loss"]) == (Decimal("1.25"), None)
    assert [(one["step"], one["tokens"]) for one in (first, last)] == [(0, 0), (1, 4096)]


def test_a_value_with_an_impossible_time_is_left_out(
    configured: Configured, experiment: Experiment
) -> None:
    """Seconds or microseconds for milliseconds: of 1970, or of a year that no calendar has."""
    run = experiment.run("r", "2025-10-20T00:00:00", workload="w")
    experiment.log(run, "epoch", [("2025-10-20T01:00:00", 1.0)])
    right = instant("2025-10-20T02:00:00")
    for timestamp in (right // 1000, right * 1000):
        experiment.log_at(run, "epoch", timestamp, 2.0)
    config = settings(configured, experiment)
    brought(config)
    assert [(f"{one['observed_at']:%d %H}", one["epoch"]) for one in samples(config)] == [
        ("20 01", Decimal(1))
    ]


@pytest.mark.parametrize(
    ("arguments", "shares"),
    [
        ({"max_steps": "3", "num_train_epochs": "3.0"}, True),
        ({"max_steps": "-1", "num_train_epochs": "3.0"}, False),
        ({"max_steps": "4", "num_train_epochs": "3.0"}, False),
        ({"max_steps": "3"}, False),
    ],
)
def test_an_epoch_that_is_the_share_of_hugging_faces_max_steps_is_none(
    configured: Configured,
    experiment: Experiment,
    arguments: dict[str, str],
    shares: bool,
) -> None:
    """Of a stream; its steps count where somebody says how much one is."""
    run = experiment.run("crab", "2025-10-20T00:00:00", workload="w", tokens_per_step="5")
    for key, value in arguments.items():
        experiment.parameter(run, key, value)
    hours = [f"2025-10-20T0{hour}:00:00" for hour in (1, 2, 3)]
    experiment.log(run, "epoch", zip(hours, (0.0, 1 / 3, 2 / 3), strict=True))
    config = settings(configured, experiment)
    said = brought(config).results[0].notices
    told = samples(config)
    assert [row["tokens"] for row in told] == [0, 5, 10]
    logged = [Decimal(0), Decimal("0.333333333"), Decimal("0.666666667")]
    assert [row["epoch"] for row in told] == ([None] * 3 if shares else logged)
    begins = f"left out: epochs of 1 run of {experiment.name}, such as crab, equal to the share of "
    assert [line.startswith(begins) for line in said] == [True] * shares


def test_a_second_pull_reads_only_the_days_of_runs_that_say_something_new(
    configured: Configured, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in ("20", "21"):
        run = experiment.run("r", f"2025-10-{day}T00:00:00", workload="w", run=f"r{day}")
        experiment.log(run, "epoch", [(f"2025-10-{day}T01:00:00", 1.0)])
    config = settings(configured, experiment)
    assert brought(config).results[0].new == 2
    again = brought(config).results[0]
    assert (again.new, again.unchanged) == (0, 2)
    experiment.log(run, "epoch", [("2025-10-21T05:00:00", 2.0)])
    third = brought(config).results[0]
    assert (third.new, third.unchanged, third.rows) == (1, 1, 2)


def test_a_run_that_was_deleted_keeps_what_it_reached_when_another_of_its_day_changes(
    configured: Configured, experiment: Experiment
) -> None:
    first, last = (
        experiment.run("r", "2025-10-20T00:00:00", workload="w", run=name) for name in ("r1", "r2")
    )
    for run in (first, last):
        experiment.log(run, "epoch", [("2025-10-20T01:00:00", 1.0)])
    config = settings(configured, experiment)
    brought(config)
    experiment.delete(first)
    experiment.log(last, "epoch", [("2025-10-20T05:00:00", 2.0)])
    for new in (1, 0):
        assert brought(config).results[0].new == new
        assert [(row["run"], row["epoch"]) for row in samples(config)] == [
            ("r1", 1), ("r2", 1), ("r2", 2),
        ]  # fmt: skip


def test_pages_are_followed_to_their_end(
    configured: Configured, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking_server, "PAGE", 2)
    monkeypatch.setattr(tracking_server, "VALUES", 2)
    for number in range(5):
        run = experiment.run(f"r{number}", "2025-10-20T00:00:00", workload="w")
        experiment.log(run, "epoch", [(f"2025-10-20T0{n}:00:00", n) for n in range(5)])
    config = settings(configured, experiment)
    brought(config)
    found = [(row["run"], int(row["epoch"])) for row in samples(config)]
    assert found == [(f"r{number}", n) for number in range(5) for n in range(5)]


def test_names_and_metrics_are_the_configs(configured: Configured, experiment: Experiment) -> None:
    run = experiment.run("atlas-t8", "2025-10-20T00:00:00")
    other = experiment.run("idle", "2025-10-20T00:00:00")
    experiment.log(other, "accuracy", [("2025-10-20T01:00:00", 1.0)])
    experiment.log(
        run, "train/epoch", [("2025-10-20T01:00:00", 1.0), ("2025-10-20T02:00:00", -5.0)]
    )
    mapped = {"workload": "atlas-7b", "metrics": {"epoch": "train/epoch"}}
    config = settings(configured, experiment, **mapped)
    brought(config)
    (row,) = samples(config)
    assert (row["workload"], row["run"], row["epoch"]) == ("atlas-7b", "atlas-t8", Decimal(1))


def test_a_run_that_names_no_workload_is_told_of(
    configured: Configured, experiment: Experiment
) -> None:
    for name, labels in (("gifted-crab", {}), ("atlas-t7", {"workload": "atlas-7b"})):
        run = experiment.run(name, "2025-10-20T00:00:00", **labels)
        experiment.log(run, "epoch", [("2025-10-20T01:00:00", 1.0)])
    config = settings(configured, experiment)
    (notice,) = brought(config).results[0].notices
    assert notice.startswith(f"{experiment.name}: 1 of 2 runs, such as gifted-crab, have neither")
    assert [row["run"] for row in samples(config)] == ["atlas-t7"]


def test_a_name_that_cannot_be_one_is_refused_with_its_run(
    configured: Configured, experiment: Experiment
) -> None:
    for name, workload in (("gifted-crab", "atlas-7b"), ("bad-bee", "a\nb")):
        run = experiment.run(name, "2025-10-20T00:00:00", workload=workload)
        experiment.log(run, "epoch", [("2025-10-20T01:00:00", 1.0)])
    with pytest.raises(InputError) as refused:
        brought(settings(configured, experiment))
    assert str(refused.value) == (
        f"mlflow: {experiment.name}: workload is too long or has a control character in run {run}, "
        "bad-bee: a·b (use at most 256 printable characters)"
    )


def test_a_number_that_is_none_is_told_of_with_its_run(
    configured: Configured, experiment: Experiment
) -> None:
    run = experiment.run("crab", "2025-10-20T00:00:00", workload="w", tokens_per_step="4,194,304")
    experiment.log(run, "loss", [("2025-10-20T01:00:00", 1.0)])
    config = settings(configured, experiment)
    (notice,) = brought(config).results[0].notices
    assert notice == (
        f"{experiment.name}: tokens_per_step of run crab ({run}) does not count, as it is not a "
        "number: 4,194,304: write it as 4194304"
    )
    assert [row["tokens"] for row in samples(config)] == [None]


def test_days_that_are_named_are_those_on_which_runs_began(
    configured: Configured, experiment: Experiment
) -> None:
    for day in ("20", "21", "22"):
        run = experiment.run("r", f"2025-10-{day}T00:00:00", workload="w", run=f"r{day}")
        experiment.log(run, "epoch", [(f"2025-10-{day}T01:00:00", 1.0)])
    config = settings(configured, experiment)
    brought(config, Window(date(2025, 10, 21), date(2025, 10, 21)))
    assert list(live(config)) == ["2025-10-21"]


def test_an_experiment_that_is_not_there_is_named(
    configured: Configured, experiment: Experiment
) -> None:
    config = settings(configured, experiment, experiments=["nowhere"])
    with pytest.raises(SourceError, match="no such experiment: nowhere"):
        brought(config)


def test_a_server_that_is_gone_or_is_none_is_one_line(
    configured: Configured, mlflow_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_server.RETRIES, "total", 0)
    gone = configured({"kind": "mlflow", "location": "http://127.0.0.1:9"})
    with pytest.raises(SourceError, match=r"at http://127.0.0.1:9 cannot be reached.*refused"):
        brought(gone)
    other = configured({"kind": "mlflow", "location": f"{mlflow_server}/elsewhere"})
    with pytest.raises(SourceError, match="refused experiments/search: 404"):
        brought(other)


def test_a_password_in_the_address_is_refused(configured: Configured, tmp_path: Path) -> None:
    config = configured({"kind": "mlflow", "location": "https://me:secret@tracking"})
    with pytest.raises(ConfigError, match="location"):
        brought(config)


def test_doctor_says_whether_the_server_answers(
    configured: Configured, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(config: Settings) -> tuple[str, str]:
        (one,) = (one for one in examine(config) if one.check == "servers")
        return one.state, one.found

    config = settings(configured, experiment)
    where = next(iter(sources.named_sources(config))).location
    assert said(config) == ("warning", f"{where} answers, and has nothing that is read")
    run = experiment.run("gifted-crab", "2025-10-20T00:00:00", workload="atlas-7b", run="t7")
    experiment.log(run, "epoch", [("2025-10-20T01:00:00", 0.5)])
    assert said(config) == ("ok", f"{where} answers")
    state, found = said(settings(configured, experiment, experiments=["another"]))
    assert (state, found) == ("blocks", "no such experiment: another")
    monkeypatch.setattr(json_server, "RETRIES", 0)
    state, found = said(settings(configured, experiment, location="http://127.0.0.1:9"))
    assert state == "blocks"
    assert "MLflow at http://127.0.0.1:9 cannot be reached" in found

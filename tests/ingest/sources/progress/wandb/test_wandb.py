"""W&B: runs as they were logged, from a server that answers as W&B's does."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest

from ingest.source import Window
from ingest.sources.progress.wandb import graphql
from models.contract.errors import SourceError
from tests.ingest.sources.progress.wandb.conftest import Reading
from tests.ingest.sources.progress.wandb.pulls import brought, epochs, live, samples
from tests.support.wandb.server import WandBServer


def test_values_come_with_their_times_and_the_config_and_tags_of_their_run(
    wandb: WandBServer, reading: Reading
) -> None:
    labels = {"workload": "atlas-7b", "run": "other", "tokens_per_step": 4096, "lr": 0.1}
    about = {"samples_per_epoch": 1e6, "optimizer": {"name": "adamw"}, "purpose": "Port"}
    tags = ("run=atlas-t7", "recipe: full", "baseline")
    run = wandb.run("pretrain", "gifted-crab-1", "2025-10-20T00:00:00", *tags, **labels, **about)
    run.log("2025-10-20T01:00:00", **{"epoch": 0.5, "loss": 2.5, "train/global_step": 100})
    run.log("2025-10-20T02:00:00", loss=math.nan)
    run.log("2025-10-21T02:00:00", **{"epoch": 1.25, "train/global_step": 250, "grad": 7.0})
    config = reading("pretrain")
    brought(config)
    assert list(live(config)) == ["2025-10-20"]
    first, nothing, last = samples(config)
    assert f"{first['observed_at']:%d %H:%M}" == "20 01:00"
    assert (first["workload"], first["run"]) == ("atlas-7b", "atlas-t7")
    assert (first["recipe"], first["purpose"]) == ("full", "port")
    assert (first["epoch"], first["loss"]) == (Decimal("0.5"), 2.5)
    assert first["samples_per_epoch"] == 1_000_000
    assert (nothing["epoch"], nothing["step"]) == (None, None)
    assert math.isnan(nothing["loss"])
    assert (last["epoch"], last["loss"]) == (Decimal("1.25"), None)
    assert [(one["step"], one["tokens"]) for one in (first, last)] == [
        (100, 409_600),
        (250, 1024000),
    ]


@pytest.mark.parametrize(
    ("metrics", "steps"), [({}, None), ({"step": "_step"}, 7), ({"step": "mine"}, 70)]
)
def test_a_training_step_is_what_the_config_names_and_never_the_count_of_calls(
    wandb: WandBServer, reading: Reading, metrics: dict[str, str], steps: int | None
) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w", samples_per_step=2)
    run.log("2025-10-20T01:00:00", 7, loss=2.5, mine=70.0)
    config = reading("pretrain", metrics=metrics)
    brought(config)
    (row,) = samples(config)
    assert (row["step"], row["samples"]) == (steps, steps and steps * 2)


def test_hugging_faces_names_are_known_unless_a_run_or_the_config_has_others(
    wandb: WandBServer, reading: Reading
) -> None:
    both = {"train/epoch": 0.5, "train/loss": 2.5, "eval/loss": 2.25, "train/global_step": 10}
    for name, more in (("a", {}), ("b", {"loss": 1.5})):
        run = wandb.run("pretrain", name, "2025-10-20T00:00:00", workload="w")
        run.log("2025-10-20T01:00:00", **both, **more)

    def found(**options: object) -> list[tuple[object, ...]]:
        config = reading("pretrain", **options)
        brought(config)
        return [(row["epoch"], row["loss"], row["step"]) for row in samples(config)]

    assert found() == [(Decimal("0.5"), 2.5, 10), (Decimal("0.5"), 1.5, 10)]
    assert found(metrics={"loss": "eval/loss"}) == [(Decimal("0.5"), 2.25, 10)] * 2


def test_epochs_of_lightning_are_numbers_of_what_is_under_way(
    wandb: WandBServer, reading: Reading
) -> None:
    """Ten steps an epoch: after step 9 of epoch 0 ten steps and one epoch are done."""
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    for hour, (step, epoch) in enumerate(((9, 0), (14, 1), (19, 1))):
        run.log(f"2025-10-20T0{hour}:00:00", **{"trainer/global_step": step, "epoch": epoch})
    config = reading("pretrain")
    brought(config)
    found = [(row["step"], float(row["epoch"])) for row in samples(config)]
    assert found == [(10, 1.0), (15, 1.5), (20, 2.0)]


def test_an_epoch_that_is_the_share_of_max_steps_is_none(
    wandb: WandBServer, reading: Reading
) -> None:
    """Of a stream Hugging Face's trainer knows no epochs; with a length, 100 steps may be two.

    Its steps count, also the last one, which is after the last loss.
    """
    for name, epochs_done in (("stream", (0.1, 0.5, 0.6)), ("sized", (0.2, 1.0, 1.2))):
        about = {"workload": "w", "max_steps": 100, "tokens_per_step": 4}
        run = wandb.run("pretrain", name, "2025-10-20T00:00:00", **about)
        for hour, step, epoch in zip((10, 15, 16), (10, 50, 60), epochs_done, strict=True):
            loss = {"train/loss": 2.0} if hour < 16 else {}
            told = {"train/epoch": epoch, "train/global_step": step, **loss}
            run.log(f"2025-10-20T{hour}:00:00", **told)
    config = reading("pretrain")
    assert brought(config).results[0].notices == [
        "left out: 3 values of epoch in pretrain equal to the share of max_steps that is done, so "
        "no epochs"
    ]
    assert [(row["run"], row["epoch"], row["tokens"]) for row in samples(config)] == [
        ("sized", Decimal("0.2"), 40),
        ("sized", Decimal(1), 200),
        ("sized", Decimal("1.2"), 240),
        ("stream", None, 40),
        ("stream", None, 200),
        ("stream", None, 240),
    ]


def test_a_value_with_an_impossible_time_is_left_out(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    run.log("2025-10-20T01:00:00", epoch=1)
    for time in (1_760_925_600_000, 1_760_925_600e6, 0, "soon", math.nan):
        run.log_at(time, None, {"epoch": 9})
    config = reading("pretrain")
    (notice,) = brought(config).results[0].notices
    assert notice == "left out: 2 values of epoch in pretrain that are not numbers"
    assert epochs(config) == {"r": [1]}


def test_a_counter_that_is_not_a_number_counts_nothing_and_such_a_loss_diverged(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    run.log("2025-10-20T01:00:00", epoch=1, loss=2.5)
    run.log("2025-10-20T02:00:00", epoch=math.nan, loss=math.nan)
    config = reading("pretrain")
    brought(config)
    assert [(row["epoch"], str(row["loss"])) for row in samples(config)] == [
        (1, "2.5"),
        (None, "nan"),
    ]


def test_a_value_that_is_no_number_is_left_out_and_told_of(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    for loss in (2.5, "2.5", {"_type": "histogram"}, None, True, [1], 10**400, math.inf):
        run.log("2025-10-20T01:00:00", loss=loss)
    config = reading("pretrain")
    assert brought(config).results[0].notices == [
        "left out: 6 values of loss in pretrain that are not numbers"
    ]


def test_pages_of_projects_and_runs_are_followed_to_their_end(
    wandb: WandBServer, reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphql, "PAGE", 2)
    for number in range(15):
        run = wandb.run(f"p{number // 5}", f"r{number:02}", "2025-10-20T00:00:00", workload="w")
        run.log("2025-10-20T01:00:00", epoch=number)
    config = reading()
    assert brought(config).results[0].new == 3
    assert epochs(config) == {f"r{number:02}": [number] for number in range(15)}


def test_names_and_metrics_are_the_configs(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "atlas-t8", "2025-10-20T00:00:00")
    run.log("2025-10-20T01:00:00", **{"train/epoch": 1.0})
    run.log("2025-10-20T02:00:00", **{"train/epoch": -5.0})
    wandb.run("pretrain", "idle", "2025-10-20T00:00:00").log("2025-10-20T01:00:00", accuracy=1.0)
    wandb.run("pretrain", "queued", "2025-10-20T00:00:00")
    config = reading("pretrain", workload="atlas-7b", metrics={"epoch": "train/epoch"})
    assert brought(config).results[0].notices == [
        "left out: 1 run without any of train/epoch, samples, tokens, samples_per_epoch, loss, "
        "such as pretrain/idle; name yours in `metrics`, or `projects`"
    ]
    (row,) = samples(config)
    assert (row["workload"], row["run"], row["epoch"]) == ("atlas-7b", "atlas-t8", Decimal(1))


def test_a_run_that_names_no_workload_is_told_of(wandb: WandBServer, reading: Reading) -> None:
    for name, labels in (("gifted-crab", {}), ("atlas-t7", {"workload": "atlas-7b"})):
        run = wandb.run("pretrain", name, "2025-10-20T00:00:00", **labels)
        run.log("2025-10-20T01:00:00", epoch=1.0)
    config = reading("pretrain")
    assert brought(config).results[0].notices == [
        "pretrain: 1 of 2 runs, such as gifted-crab, have neither a key of their config nor a tag "
        "`workload`: set it, or `workload` in the config"
    ]
    assert list(epochs(config)) == ["atlas-t7"]


def test_days_that_are_named_are_those_on_which_runs_began(
    wandb: WandBServer, reading: Reading
) -> None:
    for day in ("20", "21", "22"):
        run = wandb.run("pretrain", f"r{day}", f"2025-10-{day}T00:00:00", workload="w")
        run.log(f"2025-10-{day}T01:00:00", epoch=1.0)
    config = reading("pretrain")
    brought(config, Window(date(2025, 10, 21), date(2025, 10, 21)))
    assert list(live(config)) == ["2025-10-21"]


def test_a_project_or_entity_that_is_not_there_is_named(
    wandb: WandBServer, reading: Reading
) -> None:
    wandb.run("pretrain", "r", "2025-10-20T00:00:00")
    with pytest.raises(SourceError, match="no such project: team/nowhere"):
        brought(reading("nowhere"))
    with pytest.raises(SourceError, match="no project of this entity: nobody"):
        brought(reading(entity="nobody"))


def test_a_run_whose_config_is_no_json_has_its_values(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", "workload=w")
    run.config = '{"workload": {"value"'
    run.displayName = ""
    run.log("2025-10-20T01:00:00", epoch=1)
    config = reading("pretrain")
    brought(config)
    assert epochs(config) == {"id0": [1]}

"""W&B: of runs that grew only what is new is asked for, and nothing that was delivered is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingest.pull import pull
from ingest.source import Window
from ingest.sources.progress.wandb import history
from tests.ingest.sources.progress.wandb.conftest import Reading
from tests.ingest.sources.progress.wandb.pulls import brought, epochs, live, samples
from tests.support.wandb.server import LoggedRun, WandBServer

BEGAN = "2025-10-20T00:00:00"


def logged(run: LoggedRun, *numbers: int, every: int = 1) -> None:
    """Logs epochs, one a minute, at every so many steps."""
    start = datetime.fromisoformat(BEGAN).replace(tzinfo=UTC)
    for number in numbers:
        seconds = (start + timedelta(minutes=number)).timestamp()
        run.log_at(seconds, number * every, {"epoch": number})


def ranges(run: LoggedRun) -> list[tuple[int, int]]:
    """The ranges of steps that were asked for since the last time."""
    found = [(spec["minStep"], spec["maxStep"]) for spec in run.sampled]
    run.sampled.clear()
    return found


def test_a_second_pull_asks_only_for_what_is_new_of_runs_that_changed(
    wandb: WandBServer, reading: Reading
) -> None:
    ended = wandb.run("pretrain", "ended", BEGAN, workload="w")
    grows = wandb.run("pretrain", "grows", BEGAN, workload="w")
    other = wandb.run("pretrain", "other", "2025-10-21T00:00:00", workload="w")
    for run in (ended, grows, other):
        logged(run, 1, 2, 3)
    config = reading("pretrain")
    assert brought(config).results[0].new == 2
    assert [ranges(run) for run in (ended, grows, other)] == [[(0, 3)]] * 3
    again = brought(config).results[0]
    assert (again.new, again.unchanged) == (0, 2)
    logged(grows, 4, 5)
    third = brought(config).results[0]
    assert (third.new, third.unchanged, third.rows) == (1, 1, 8)
    assert [ranges(run) for run in (ended, grows, other)] == [[], [(3, 5)], []]
    assert epochs(config) == {"ended": [1, 2, 3], "grows": [1, 2, 3, 4, 5], "other": [1, 2, 3]}


def test_shares_of_max_steps_are_told_of_once(wandb: WandBServer, reading: Reading) -> None:
    """Two and two more; the last of the first two is asked for again, as what is known."""
    run = wandb.run("pretrain", "stream", BEGAN, workload="w", max_steps=100, tokens_per_step=4)
    config = reading("pretrain")
    for steps in ((10, 20), (30, 40)):
        for step in steps:
            share = {"train/epoch": step / 100, "train/global_step": step}
            run.log(f"2025-10-20T01:{step}:00", **share)
        (notice,) = brought(config).results[0].notices
        assert notice.startswith("left out: 2 values of epoch in pretrain equal to the share of")
    assert [(row["epoch"], row["tokens"]) for row in samples(config)] == [
        (None, tokens) for tokens in (40, 80, 120, 160)
    ]


def test_a_metric_that_the_config_names_later_is_read_from_its_first_value(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    run.log("2025-10-20T01:00:00", mine=1)
    run.log("2025-10-20T02:00:00", mine=2, loss=1.5)
    brought(reading("pretrain"))
    run.sampled.clear()
    config = reading("pretrain", metrics={"epoch": "mine"})
    brought(config)
    assert [(spec["keys"][-1], spec["minStep"]) for spec in run.sampled] == [
        ("loss", 1),
        ("mine", 0),
    ]
    assert epochs(config) == {"r": [1, 2]}


def test_a_training_step_that_the_config_names_later_is_read_for_every_value(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    run.log("2025-10-20T01:00:00", epoch=1, mine=70)
    run.log("2025-10-20T02:00:00", epoch=2)
    brought(reading("pretrain"))
    config = reading("pretrain", metrics={"step": "mine"})
    brought(config)
    assert [row["step"] for row in samples(config)] == [70, None]


def test_a_run_that_is_deleted_after_the_config_named_a_step_keeps_what_is_known(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    run.log("2025-10-20T01:00:00", epoch=1, mine=70)
    brought(reading("pretrain"))
    config = reading("pretrain", metrics={"step": "mine"})
    wandb.fail_after(1, (200, {}, '{"data": {"project": {"run": null}}}'))
    brought(config)
    assert epochs(config) == {"r": [1]}


def test_a_run_that_was_rewound_is_read_anew(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    logged(run, *range(8))
    config = reading("pretrain")
    brought(config)
    del run.rows[4:]
    run.log("2025-10-20T03:00:00", epoch=40)
    brought(config)
    assert epochs(config) == {"r": [0, 1, 2, 3, 40]}
    run.rows.pop()
    run.log("2025-10-20T04:00:00", epoch=41)
    brought(config)
    assert epochs(config) == {"r": [0, 1, 2, 3, 41]}
    del run.rows[1:]
    for epoch in range(10, 20):
        run.log(f"2025-10-20T{epoch}:00:00", epoch=epoch)
    brought(config)
    assert epochs(config) == {"r": [0, *range(10, 20)]}


def test_a_run_that_is_deleted_there_stays(wandb: WandBServer, reading: Reading) -> None:
    deleted = wandb.run("pretrain", "deleted", BEGAN, workload="w")
    kept = wandb.run("pretrain", "kept", BEGAN, workload="w")
    logged(deleted, 1, 2)
    logged(kept, 1)
    config = reading("pretrain")
    brought(config)
    wandb.projects["pretrain"].remove(deleted)
    logged(kept, 2)
    brought(config)
    assert epochs(config) == {"deleted": [1, 2], "kept": [1, 2]}
    wandb.projects["pretrain"].clear()
    brought(config)
    assert epochs(config) == {"deleted": [1, 2], "kept": [1, 2]}


def test_a_run_that_is_listed_without_what_is_read_of_it_stays(
    wandb: WandBServer, reading: Reading
) -> None:
    keyless = wandb.run("pretrain", "keyless", BEGAN, workload="w")
    unmapped = wandb.run("pretrain", "unmapped", BEGAN, workload="w")
    kept = wandb.run("pretrain", "kept", BEGAN, workload="w")
    logged(keyless, 1, 2)
    logged(kept, 1)
    unmapped.log("2025-10-20T01:00:00", mine=7)
    brought(reading("pretrain", metrics={"loss": "mine"}))
    keyless.rows.clear()
    logged(kept, 2)
    config = reading("pretrain")
    brought(config)
    assert live(config)["2025-10-20"].rows == 5
    assert epochs(config)["keyless"] == [1, 2]


def test_a_resumed_run_is_one_run(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    logged(run, 1, 2)
    run.state = "crashed"
    config = reading("pretrain")
    brought(config)
    run.state = "running"
    logged(run, 3)
    brought(config)
    assert epochs(config) == {"r": [1, 2, 3]}
    assert ranges(run) == [(0, 2), (2, 3)]


@pytest.mark.parametrize("every", [1, 3, 1000])
def test_a_history_longer_than_a_sample_comes_whole(
    wandb: WandBServer, reading: Reading, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """Also one that lies unevenly, and one that is a few values in a million steps."""
    monkeypatch.setattr(history, "SAMPLES", 4)
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    numbers = [*range(30), *range(500, 520), 999]
    logged(run, *numbers, every=every)
    config = reading("pretrain")
    brought(config)
    assert epochs(config) == {"r": numbers}


def test_a_pull_that_fails_midway_leaves_what_was_there(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    logged(run, 1)
    config = reading("pretrain")
    brought(config)
    logged(run, 2)
    wandb.fail_after(1, (403, {}, "forbidden"))
    (error,) = pull(config, ["wandb"], Window()).results[0].errors
    assert "refused history: 403 forbidden" in str(error)
    assert epochs(config) == {"r": [1]}
    brought(config)
    assert epochs(config) == {"r": [1, 2]}


def test_a_run_that_is_deleted_while_it_is_read_keeps_what_is_known(
    wandb: WandBServer, reading: Reading
) -> None:
    run = wandb.run("pretrain", "r", BEGAN, workload="w")
    logged(run, 1)
    config = reading("pretrain")
    brought(config)
    logged(run, 2)
    wandb.fail_after(1, (200, {}, '{"data": {"project": {"run": null}}}'))
    brought(config)
    assert epochs(config) == {"r": [1]}

"""`trainer_state.json` of Transformers' Trainer: which of a run's counts, and bad ones."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.pull import pull
from ingest.pull.report import Result
from ingest.sources.progress.training_logs import delivered_losses
from ingest.sources.progress.training_logs.delivered_losses import Losses
from models.config.settings import Settings
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.price_answers import told as prepared

LOGS = Path("tests/fixtures/training_logs/transformers/atlas-7b")
SOURCE = {"kind": "trainer_state", "location": "logs", "workload": "atlas-7b"}


def entry(step: int, **values: object) -> dict[str, object]:
    return {"epoch": step / 100, "loss": 2.5, "step": step, **values}


def state(*history: dict[str, object], step: int = 100, **columns: object) -> dict[str, object]:
    """A state as the Trainer writes it, of a run that reached a step."""
    own = {"log_history": list(history), "global_step": step, "epoch": step / 100}
    return {**own, "num_input_tokens_seen": 0, "num_train_epochs": 3, **columns}


def save(folder: Path, content: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "trainer_state.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def rows(settings: Settings) -> list[dict[str, Any]]:
    live = RawZone(settings.data / "raw").live("trainer_state")
    tables = [pq.read_table(path) for delivery in live for path in delivery.paths]
    return pa.concat_tables(tables).to_pylist() if tables else []


def told(settings: Settings, metric: str = "epoch") -> list[tuple[str, int, float]]:
    found = (row for row in rows(settings) if row["metric"] == metric)
    return sorted((row["run_name"], row["step"], row["value"]) for row in found)


def pulled(settings: Settings) -> Result:
    """What a pull says of the source."""
    return next(one for one in pull(settings).results if one.source == "trainer_state")


def refused(settings: Settings) -> str:
    (error,) = pulled(settings).errors
    return str(error)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def settings(configured: Configured) -> Settings:
    return configured(SOURCE)


def test_of_a_run_the_state_that_got_furthest_is_read(settings: Settings, logs: Path) -> None:
    """Each holds the whole log; the checkpoint beside the last one holds nothing more."""
    shutil.copytree(LOGS / "gpu-1", logs / "gpu-1")
    assert pulled(settings).new == 1
    steps = [50, 100, 100, 150, 200, 200, 250, 300, 300, 300, 300]
    assert told(settings) == [("gpu-1", step, step / 100) for step in steps]
    assert len(told(settings, "loss")) == 6
    assert {row["part"] for row in rows(settings)} == {300}


def test_a_mark_of_the_byte_order_is_no_part_of_a_state(settings: Settings, logs: Path) -> None:
    """Editors of Windows write one."""
    save(logs / "t1", "\ufeff" + json.dumps(state(entry(100))))
    pulled(settings)
    assert set(told(settings)) == {("t1", 100, 1.0)}


def test_training_that_goes_on_is_ahead_of_the_state_in_the_run_s_folder(
    settings: Settings, logs: Path
) -> None:
    save(logs / "a", state(entry(100), step=100))
    for step in (90, 120):
        save(logs / "a" / f"checkpoint-{step}", state(entry(step), step=step))
    pull(settings).raise_failures()
    assert told(settings) == [("a", 120, 1.2)] * 2


def test_how_far_a_run_was_is_told_where_nothing_was_logged_yet(
    settings: Settings, logs: Path
) -> None:
    """`logging_steps` is 500 unless the script says otherwise, and tokens are counted apart."""
    save(logs / "a" / "checkpoint-70", state(step=70, num_input_tokens_seen=7000))
    pull(settings).raise_failures()
    assert told(settings) == [("a", 70, 0.7)]
    assert told(settings, "num_input_tokens_seen") == [("a", 70, 7000)]


def test_a_state_is_read_again_when_it_changed_and_not_before(
    settings: Settings, logs: Path
) -> None:
    save(logs / "a", state(entry(100)))
    assert (pulled(settings).new, pulled(settings).unchanged) == (1, 1)
    save(logs / "a" / "checkpoint-200", state(entry(100), entry(200), step=200))
    assert pulled(settings).new == 1
    assert told(settings) == [("a", step, step / 100) for step in (100, 200, 200)]


def test_what_a_deleted_checkpoint_said_stays(settings: Settings, logs: Path) -> None:
    """`save_total_limit` keeps the best checkpoint, which is not the last."""
    save(logs / "a" / "checkpoint-100", state(entry(50), entry(100)))
    save(logs / "a" / "checkpoint-300", state(entry(50), entry(100), entry(300), step=300))
    pull(settings).raise_failures()
    shutil.rmtree(logs / "a" / "checkpoint-300")
    (notice,) = pulled(settings).notices
    assert notice.endswith("a/trainer_state.json has steps 300 to 300 no more: they stay as "
                           "delivered before")  # fmt: skip
    assert [step for _, step, _ in told(settings)] == [50, 100, 100, 300, 300]
    shutil.rmtree(logs / "a")
    pull(settings).raise_failures()
    assert len(told(settings)) == 5


def test_a_loss_that_is_no_number_stays_and_what_is_null_is_unknown(
    settings: Settings, logs: Path
) -> None:
    """The Trainer writes `NaN` and `Infinity`, which JSON does not have."""
    losses = [math.nan, math.inf, None, 10**400]
    history = [entry(step, loss=loss) for step, loss in enumerate(losses, 1)]
    save(logs / "a", state(*history, step=4))
    pull(settings).raise_failures()
    assert [f"{loss}" for _, _, loss in told(settings, "loss")] == ["nan", "inf", "inf"]


def test_epochs_of_data_without_a_length_are_left_out(settings: Settings, logs: Path) -> None:
    """The Trainer then plans `sys.maxsize` epochs, and an epoch is the share of `max_steps`.

    Its steps count, also those after the last loss.
    """
    save(logs / "a", state(entry(100), step=120, num_train_epochs=sys.maxsize))
    (notice,) = pulled(settings).notices
    assert "its data has no length, so `epoch` is a share of max_steps and left out" in notice
    assert told(settings, "loss") == [("a", 100, 2.5)]
    assert [(step, f"{epoch}") for _, step, epoch in told(settings)] == [(100, "nan"), (120, "nan")]
    done = prepared(settings, "trainer_state")
    assert sorted((row["step"], row["epoch"]) for row in done) == [
        (0, None),
        (100, None),
        (120, None),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps(state(entry(100)), indent=2)[:90], "Invalid JSON: EOF while parsing"),
        ("", "Invalid JSON: EOF while parsing a value at line 1 column 0"),
        ("[]", "Input should be an object"),
        ({"model_type": "llama"}, "log_history: Field required"),
        (state(entry(100), step=-1), "global_step: Input should be greater than or equal to 0"),
        (state(entry(100, loss="low")), 'log_history.0.loss: "low" is not a number'),
        (state(entry(50), entry(100, epoch=True)), "log_history.1.epoch: true is not a number"),
        (state({"loss": 1.5}), "log_history.0.step: null is not a count of steps"),
        (state(entry(-5)), "log_history.0.step: -5 is not a count of steps"),
    ],
)
def test_a_bad_state_is_refused_in_one_line_and_the_other_runs_come(
    settings: Settings, logs: Path, content: object, said: str
) -> None:
    file = save(logs / "bad", content)
    save(logs / "good", state(entry(100)))
    text = refused(settings)
    assert text.startswith(f"cannot read {file}: {said}")
    assert text.endswith("(deliver what the Trainer wrote, whole)")
    assert "\n" not in text
    assert {run for run, _, _ in told(settings)} == {"good"}


def test_a_state_that_is_half_written_leaves_what_was_there(settings: Settings, logs: Path) -> None:
    whole = save(logs / "a", state(entry(100)))
    pull(settings).raise_failures()
    text = json.dumps(state(entry(100), entry(200), step=200))
    whole.write_text(text[:70])
    assert "Invalid JSON" in refused(settings)
    assert told(settings) == [("a", 100, 1.0)] * 2
    whole.write_text(text)
    pull(settings).raise_failures()
    assert [step for _, step, _ in told(settings)] == [100, 200, 200]


def test_runs_that_begin_alike_are_named_until_one_says_what_it_resumed(
    configured: Configured, logs: Path
) -> None:
    shutil.copytree(LOGS, logs)
    (notice,) = pulled(configured(SOURCE)).notices
    assert notice == (
        "2 runs, such as trn-1 and trn-2, begin with the same entry: where one "
        "resumed another, say `resumed_from` in [[runs]], else its epochs count twice"
    )
    settings = configured(SOURCE, runs=[{"run": "trn-2", "resumed_from": "trn-1"}])
    assert pulled(settings).notices == []
    own = [step for run, step, _ in told(settings) if run == "trn-2"]
    assert own == [200, 250, 300, 300, 300, 300], "from where trn-1 had got to"
    assert [step for run, step, _ in told(settings, "loss") if run == "trn-2"] == [250, 300]


def test_the_log_of_a_resumed_run_may_be_deleted(configured: Configured, logs: Path) -> None:
    shutil.copytree(LOGS, logs)
    settings = configured(SOURCE, runs=[{"run": "trn-2", "resumed_from": "trn-1"}])
    pull(settings).raise_failures()
    shutil.rmtree(logs / "trn-1")
    pull(settings).raise_failures()
    own = {step for run, step, _ in told(settings) if run == "trn-2"}
    assert own == {200, 250, 300}
    assert {run for run, _, _ in told(settings)} == {"gpu-1", "trn-1", "trn-2"}


def test_what_was_delivered_of_resumed_runs_is_read_once_and_only_beside_something_new(
    configured: Configured, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [{"run": run, "resumed_from": "first"} for run in ("left", "right")]
    settings = configured(SOURCE, runs=runs)
    for run in ("first", "left", "right"):
        save(logs / run, state(entry(100), entry(200), step=200))
    pull(settings).raise_failures()
    asked: list[frozenset[str]] = []

    def read_losses(paths: Iterable[Path], runs: frozenset[str], metric: str) -> dict[str, Losses]:
        asked.append(runs)
        return delivered(paths, runs, metric)

    delivered = delivered_losses.read_losses
    monkeypatch.setattr(delivered_losses, "read_losses", read_losses)
    shutil.rmtree(logs / "first")
    assert (pulled(settings).unchanged, asked) == (2, []), "both were read beside its log"
    for run in ("left", "right"):
        save(logs / run, state(entry(100), entry(200), entry(300), step=300))
    assert (pulled(settings).new, asked) == (2, [{"first"}])
    assert [row for row in told(settings) if row[0] == "left"] == [
        ("left", step, step / 100) for step in (200, 300, 300)
    ]
    assert (pulled(settings).unchanged, len(asked)) == (2, 1)


def test_a_location_without_a_state_is_refused(settings: Settings, logs: Path) -> None:
    (logs / "a").mkdir(parents=True)
    (logs / "a" / "config.json").write_text("{}")
    assert refused(settings) == (
        f"trainer_state: no trainer_state.json found: {logs} "
        "(correct `location`: the folder of a run, or one with folders of runs)"
    )

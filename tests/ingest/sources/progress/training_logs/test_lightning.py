"""`metrics.csv` of Lightning's CSVLogger: versions of a run, and bad files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.pull import pull
from ingest.pull.report import Result
from ingest.sources.progress.training_logs import logged_values
from models.config.settings import Settings
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured

LOGS = Path("tests/fixtures/training_logs/lightning/atlas-7b")
SOURCE = {"kind": "lightning", "location": "logs", "workload": "atlas-7b"}
HEAD = "epoch,step,train_loss\r\n"


@pytest.fixture
def settings(configured: Configured) -> Settings:
    return configured(SOURCE)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "logs" / "a" / "lightning_logs" / "version_0" / "metrics.csv"
    file.parent.mkdir(parents=True)
    return file


def rows(settings: Settings) -> list[dict[str, Any]]:
    live = RawZone(settings.data / "raw").live("lightning")
    return pa.concat_tables([pq.read_table(path) for d in live for path in d.paths]).to_pylist()


def told(settings: Settings, metric: str = "train_loss") -> list[tuple[int, str]]:
    return [(row["step"], f"{row['value']}") for row in rows(settings) if row["metric"] == metric]


def pulled(settings: Settings) -> Result:
    return next(one for one in pull(settings).results if one.source == "lightning")


def refused(settings: Settings) -> str:
    (error,) = pulled(settings).errors
    return str(error)


def test_each_version_is_a_delivery_and_the_versions_of_a_folder_one_run(
    settings: Settings, tmp_path: Path
) -> None:
    shutil.copytree(LOGS, tmp_path / "logs")
    result = pulled(settings)
    assert (result.new, result.notices) == (3, [])
    found = {(row["run_name"], row["part"], row["metric"]) for row in rows(settings)}
    runs = [("gpu-1", 0), ("trn-1", 0), ("trn-1", 1)]
    assert found == {(*run, metric) for run in runs for metric in ("epoch", "train_loss")}
    assert pulled(settings).unchanged == 3


def test_versions_that_each_begin_anew_are_named_and_may_be_runs_by_their_path(
    configured: Configured, tmp_path: Path
) -> None:
    for number in range(3):
        folder = tmp_path / "logs" / "a" / "lightning_logs" / f"version_{number}"
        shutil.copytree(LOGS / "gpu-1" / "lightning_logs" / "version_0", folder)
    (notice,) = pulled(configured(SOURCE)).notices
    assert notice == (
        f"3 folders of a begin at the same step, such as {folder}: if each is a run of its own, "
        'set `path`, such as path = "lightning_logs/{run}"'
    )
    assert pulled(configured(SOURCE | {"path": "{run}/lightning_logs/*"})).notices == []
    settings = configured(SOURCE | {"path": "lightning_logs/{run}"})
    assert pulled(settings).notices == []
    assert {row["run_name"] for row in rows(settings)} == {"version_0", "version_1", "version_2"}


def test_a_long_log_is_written_a_part_at_a_time_in_its_order(
    settings: Settings, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lowest step may be in any of the parts."""
    monkeypatch.setattr(logged_values, "AT_ONCE", 2)
    log.write_text(HEAD + "".join(f"0,{step},0.5\n" for step in (9, 8, 7, 2, 3)))
    pull(settings).raise_failures()
    written = [(row["entry"], row["metric"], row["step"]) for row in rows(settings)]
    assert written == [
        (entry, metric, step)
        for entry, step in enumerate((9, 8, 7, 2, 3))
        for metric in ("epoch", "train_loss")
    ]
    again = log.parent.with_name("version_1")
    again.mkdir()
    (again / "metrics.csv").write_text(HEAD + "0,2,0.5\n0,9,0.5\n0,10,0.5\n")
    (notice,) = pulled(settings).notices
    assert notice.startswith("2 folders of a begin at the same step")
    log.write_text(HEAD + "0,7,0.25\n0,8,0.25\n")
    notice, _ = sorted(pulled(settings).notices)
    assert notice == f"{log} has steps 2 to 9 no more: they stay as delivered before"
    assert told(settings)[:5] == [(7, "0.25"), (8, "0.25"), (9, "0.5"), (2, "0.5"), (3, "0.5")]


def test_runs_of_one_name_in_two_workloads_are_two(configured: Configured, tmp_path: Path) -> None:
    for workload in ("atlas", "bert"):
        folder = tmp_path / "logs" / workload / "a" / "lightning_logs" / "version_0"
        shutil.copytree(LOGS / "gpu-1" / "lightning_logs" / "version_0", folder)
    result = pulled(configured({"kind": "lightning", "location": "logs"}))
    assert (result.new, result.notices) == (2, [])


def test_a_line_that_is_being_written_is_read_when_it_is_whole(
    settings: Settings, log: Path
) -> None:
    """`0.1` of a line that will say `0.125` is no loss."""
    whole = HEAD + "0,19,0.5\r\n0,39,0.1"
    log.write_text(whole, newline="")
    (notice,) = pulled(settings).notices
    assert notice == f"{log}: its last line is not whole yet, and left out until it is"
    assert told(settings) == [(19, "0.5")]
    log.write_text(whole + "25\r\n", newline="")
    assert pulled(settings).notices == []
    assert told(settings) == [(19, "0.5"), (39, "0.125")]


def test_what_a_version_that_was_begun_again_had_said_stays(settings: Settings, log: Path) -> None:
    """CSVLogger deletes the file of a version that somebody names again."""
    log.write_text(HEAD + "0,19,0.5\n0,39,0.4\n1,59,0.3\n")
    pull(settings).raise_failures()
    log.write_text(HEAD + "0,39,0.41\n")
    (notice,) = pulled(settings).notices
    assert notice == f"{log} has steps 19 to 59 no more: they stay as delivered before"
    assert sorted(told(settings)) == [(19, "0.5"), (39, "0.41"), (59, "0.3")]


def test_a_loss_that_is_no_number_stays_and_an_empty_value_is_unknown(
    settings: Settings, log: Path
) -> None:
    log.write_text(HEAD + "0,19,nan\n0,39,inf\n0,59,\n")
    pull(settings).raise_failures()
    assert told(settings) == [(19, "nan"), (39, "inf")]
    assert told(settings, "epoch") == [(19, "0.0"), (39, "0.0"), (59, "0.0")]


def test_a_loss_of_another_name_is_asked_for(configured: Configured, log: Path) -> None:
    log.write_text("epoch,lr,step,train_loss_step,val_loss\n0,0.1,19,0.5,\n")
    (notice,) = pulled(configured(SOURCE)).notices
    assert notice == (
        f"{log} has no column train_loss: `metrics.loss` may be one of "
        "lr, train_loss_step, val_loss"
    )
    settings = configured(SOURCE | {"metrics": {"loss": "train_loss_step"}})
    assert pulled(settings).notices == []
    assert told(settings, "train_loss_step") == [(19, "0.5")]


@pytest.mark.parametrize(
    "name", ["value", "metric", "text", "entry", "step_text", "name", "file_row_number"]
)
def test_a_column_may_have_any_name(configured: Configured, log: Path, name: str) -> None:
    """Lightning gives columns the names that the user's code logs under, mapped or not."""
    log.write_text(f"{name},epoch,step,train_loss\n7,0,19,0.5\n8,0,39,0.25\n")
    settings = configured(SOURCE)
    pull(settings).raise_failures()
    both = [(19, "0.5"), (39, "0.25")]
    assert told(settings) == both
    settings = configured(SOURCE | {"metrics": {"samples": name}})
    pull(settings).raise_failures()
    assert (told(settings), told(settings, name)) == (both, [(19, "7.0"), (39, "8.0")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("a,b\n1,2\n", "it has no column step"),
        (HEAD + "0,19,0.5\n0,39,low\n", "line 3: train_loss is not a number: low"),
        (HEAD + "0,,0.5\n", "line 2: step is not a whole number: nothing"),
        (HEAD + "0,first,0.5\n", "line 2: step is not a whole number: first"),
        (HEAD + "0,49.6,0.5\n", "line 2: step is not a whole number: 49.6"),
        (HEAD + "0,inf,0.5\n", "line 2: step is not a whole number: inf"),
        (HEAD + "0,19,0.5,7\n", "line 2 has 4 values where the header names 3"),
        ("epoch;step;train_loss\n0;19;0.5\n", "the columns are separated by ';'"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_and_what_was_there_stays(
    settings: Settings, log: Path, text: str, said: str
) -> None:
    log.write_text(HEAD + "0,19,0.25\n")
    pull(settings).raise_failures()
    log.write_text(text)
    assert refused(settings).startswith(f"cannot read {log}: {said}")
    assert told(settings) == [(19, "0.25")]


def test_a_whole_step_may_have_a_decimal_point(settings: Settings, log: Path) -> None:
    """Tools that merge logs write a column with gaps in it as decimals."""
    log.write_text(HEAD + "0,49.0,0.5\n")
    pull(settings).raise_failures()
    assert told(settings) == [(49, "0.5")]


def test_a_negative_step_is_refused(settings: Settings, log: Path) -> None:
    log.write_text(HEAD + "0,-4,0.5\n")
    assert "step is not a count: -4 (correct what writes it)" in refused(settings)

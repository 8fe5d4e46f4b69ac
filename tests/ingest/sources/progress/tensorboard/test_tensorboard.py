"""Event files of the real writers, and what the config makes of their folders and tags."""

from __future__ import annotations

import math
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest.doctor import examine
from ingest.pull import Report, pull
from ingest.sources.progress.tensorboard import TensorBoard
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.raw.zone import RawZone
from tests.support.ingest.event_files import FIXTURES, event, write
from tests.support.ingest.fake_aws import S3, Configured
from tests.support.ingest.price_answers import told
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

LOGS = {"kind": "tensorboard", "location": "logs"}


def brought(settings: Settings) -> Report:
    report = pull(settings, ["tensorboard"])
    report.raise_failures()
    return report


def notices(settings: Settings) -> list[str]:
    return brought(settings).results[0].notices


def samples(settings: Settings) -> list[dict[str, Any]]:
    return sorted(told(settings, "tensorboard"), key=lambda row: (row["run"], row["observed_at"]))


def runs(settings: Settings) -> set[tuple[str, str]]:
    return {(row["workload"], row["run"]) for row in told(settings, "tensorboard")}


def written(folder: Path) -> Path:
    """What PyTorch, tensorboardX and TensorBoard itself wrote."""
    return shutil.copytree(FIXTURES, folder / "logs", ignore=shutil.ignore_patterns("*.*[dy]"))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return written(tmp_path)


def test_what_each_writer_logged_is_read_with_its_times(configured: Configured, logs: Path) -> None:
    settings = configured(LOGS)
    assert notices(settings) == []
    found = [row for row in samples(settings) if row["workload"] == "atlas-7b"]
    assert [
        (row["run"], f"{row['observed_at']:%d %H:%M}", row["epoch"], row["loss"], row["step"])
        for row in found
        if not math.isnan(row["loss"])
    ] == [
        ("atlas-g1", "19 01:00", 1, 1.9, 100),
        ("atlas-g1", "19 05:00", 5, 1.5, 500),
        ("atlas-t7", "20 01:00", 1, 2.5, 100),
        ("atlas-t7", "20 02:00", 2, 2.25, 200),
        ("atlas-t7", "20 03:00", 3, 2.1, 300),
        ("atlas-t7", "20 05:00", Decimal("2.5"), 2.15, 250),
        ("atlas-t7", "20 06:00", 3, 2.1, 300),
        ("atlas-t7", "20 10:00", 5, 1.5, 500),
        ("atlas-t8", "21 01:00", 1, 1.75, 100),
        ("atlas-t8", "21 04:00", 4, 1.0, 400),
    ]
    diverged = [row["observed_at"].hour for row in found if math.isnan(row["loss"])]
    assert diverged == [8]


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """What the writers logged of `atlas-7b`, and `w`, whose run `r` logged steps alone."""
    world = World(tmp_path_factory.mktemp("company"))
    written(world.folder)
    steps = (event(f"20T0{n}:00", n * 1000, loss=2.0) for n in (1, 2))
    write(world.folder / "logs/w/r", *steps)
    for workload, run, machine, day, hours, rate in (
        ("atlas-7b", "atlas-g1", "p4d.24xlarge", "2025-10-19", 10, 20),
        ("atlas-7b", "atlas-t7", "trn1.32xlarge", "2025-10-20", 10, 10),
        ("atlas-7b", "atlas-t8", "trn1.32xlarge", "2025-10-21", 5, 10),
        ("w", "r", "trn1.32xlarge", "2025-10-20", 5, 10),
    ):
        world.hours(day, hours, machine, rate, {"workload": workload, "run": run})
    settings = world.pulled(
        sources=[{"kind": "focus", "location": "bill.csv"}, LOGS],
        workloads=[{"name": "w", "tokens_per_step": 4_194_304}],
        as_of="2025-10-31",
    )
    return some_marts(settings, "runs", "cost_per_epoch", "progress_daily")


def test_an_epoch_costs_what_its_run_cost_and_a_restart_is_not_counted_twice(
    marts: SomeMarts,
) -> None:
    """t7 stopped after 3 epochs and went on from 2; its second file begins at 2.5."""
    found = marts.rows(
        "SELECT run, epochs, repeated_epochs, cost_per_epoch FROM runs "
        "WHERE workload = 'atlas-7b' ORDER BY run"
    )
    assert [tuple(row.values()) for row in found] == [
        ("atlas-g1", 5, 0, 40),
        ("atlas-t7", 5, Decimal("0.5"), 20),
        ("atlas-t8", 4, 0, Decimal("12.5")),
    ]
    month = marts.rows(
        "SELECT hardware, cost, epochs FROM cost_per_epoch "
        "WHERE period = 'month' AND workload = 'atlas-7b' ORDER BY hardware"
    )
    assert [tuple(row.values()) for row in month] == [
        ("gpu", 200, 5),
        ("trainium", 150, 9),
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {("b", "c"), ("a", "d")}),
        ({"workload": "w"}, {("w", "c"), ("w", "d"), ("w", "e")}),
        ({"workload": "w", "path": "a/{run}"}, {("w", "b"), ("w", "d")}),
        ({"workload": "w", "path": "{run}/c"}, {("w", "b")}),
        ({"path": "logs/{workload}/{run}/*"}, {("a", "b")}),
        ({"location": "logs/a", "workload": "w"}, {("w", "c"), ("w", "d")}),
        ({"location": "logs/e", "workload": "w"}, {("w", "e")}),
        ({"location": "logs/*/d/*", "workload": "w"}, {("w", "d")}),
    ],
)
def test_a_folder_names_the_run_and_the_one_above_it_the_workload(
    configured: Configured, tmp_path: Path, options: dict[str, str], expected: set[tuple[str, str]]
) -> None:
    for folder in ("a/b/c", "a/d", "e"):
        write(tmp_path / "logs" / folder, event("20T01:00", 1, epoch=1))
    settings = configured({**LOGS, **options})
    brought(settings)
    assert runs(settings) == expected


@pytest.mark.parametrize(
    "folder",
    [
        "atlas-7b/atlas-t7/runs/Oct20_01-00-00_ip-10-0-0-1",
        "atlas-7b/atlas-t7/runs/Oct20_01-00-00_ip-10-0-0-1/1760922000.1234567",
        "atlas-7b/atlas-t7/lightning_logs/version_12",
        "atlas-7b/atlas-t7/tensorboard-output",
    ],
)
def test_folders_that_trainers_add_name_no_run(
    configured: Configured, tmp_path: Path, folder: str
) -> None:
    write(tmp_path / "logs" / folder, event("20T01:00", 1, epoch=1))
    settings = configured(LOGS)
    assert notices(settings) == []
    assert runs(settings) == {("atlas-7b", "atlas-t7")}


def test_a_location_of_such_folders_has_a_run_in_each(
    configured: Configured, tmp_path: Path
) -> None:
    """PyTorch writes `runs/Oct20_01-00-00_host` where nobody says where to."""
    for hour in ("01", "02"):
        write(tmp_path / f"runs/Oct20_{hour}-00-00_host", event(f"20T{hour}:00", 1, epoch=1))
    settings = configured({"kind": "tensorboard", "location": "runs", "workload": "w"})
    assert notices(settings) == []
    assert runs(settings) == {("w", f"Oct20_{hour}-00-00_host") for hour in ("01", "02")}


def test_folders_of_one_run_that_each_begin_anew_are_told_of(
    configured: Configured, tmp_path: Path
) -> None:
    """A restart goes on at a later step; what begins where the first one did may be another run."""
    write(tmp_path / "logs/other/r", event("20T01:00", 10, epoch=1))
    for run, steps in {"r": (10, 20), "s": (10, 10)}.items():
        for number, step in enumerate(steps):
            folder = tmp_path / f"logs/w/{run}/lightning_logs/version_{number}"
            write(folder, event(f"20T0{number}:00", step, epoch=1))
    settings = configured(LOGS)
    (notice,) = notices(settings)
    assert notice.startswith("2 folders of s begin at the same step, such as ")
    path = "{workload}/*/lightning_logs/{run}"
    (told,) = notices(configured({**LOGS, "path": path}))
    assert told.endswith("logs/other/r/events.out.tfevents.1761000000.trn1.1.0")


def test_names_of_hugging_faces_trainer_are_known_and_its_arguments_are_no_run(
    configured: Configured, logs: Path
) -> None:
    """What is logged in single precision is the decimal number that was meant: 0.1, and 0.7."""
    where = {"location": "logs/trainer", "workload": "w"}
    settings = configured({**LOGS, **where})
    assert notices(settings) == []
    found = [(row["run"], row["epoch"], row["loss"]) for row in samples(settings)]
    assert found == [("atlas-h1", Decimal("0.1"), 1.9), ("atlas-h1", Decimal("0.7"), 1.3)]


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (b'{"max_steps": 40, "num_train_epochs": 3.0}', [0.5]),
        (b'{"max_steps": -1, "num_train_epochs": 3.0}', [0.2, 0.5, 1.0]),
        (b'{"max_steps": 39}', [0.2, 0.5, 1.0]),
        (b"{}", [0.2, 0.5, 1.0]),
        (b"no JSON", [0.2, 0.5, 1.0]),
    ],
)
def test_a_share_of_hugging_faces_max_steps_is_no_epoch(
    configured: Configured, tmp_path: Path, arguments: bytes, kept: list[float]
) -> None:
    """As transformers 5.24 logs it where the data has no length: step 8 of 40 is `epoch` 0.2.

    The step was done all the same.
    """
    epochs = {8: 0.2, 40: 1.0, 10: 0.5}
    write(
        tmp_path / "logs/w/r",
        event("20T00:00", 0, **{"args/text_summary": {"dtype": 7, "string_val": [arguments]}}),
        *(event(f"20T01:{n:02}", n, **{"train/epoch": each}) for n, each in epochs.items()),
    )
    settings = configured(LOGS)
    said = notices(settings)
    shares = "left out: 2 values equal to the share of max_steps that is done, so no epoch, such as"
    assert [line.startswith(shares) for line in said] == [True] * (len(kept) == 1)
    told = samples(settings)
    assert sorted(float(row["epoch"]) for row in told if row["epoch"] is not None) == kept
    assert sorted(row["step"] for row in told) == [8, 10, 40]


def test_lightnings_numbers_of_epochs_under_way_become_epochs_done(
    configured: Configured, logs: Path
) -> None:
    """Three epochs of 20 steps: it logs 0, 1 and 2 as the epoch, and 59 as the last step."""
    settings = configured(LOGS)
    brought(settings)
    found = [row for row in samples(settings) if row["run"] == "atlas-l1"]
    epochs = [(row["step"], row["epoch"]) for row in found if row["epoch"] is not None]
    assert epochs == [
        (8, Decimal("0.4")), (16, Decimal("0.8")), (20, 1), (24, Decimal("1.2")),
        (32, Decimal("1.6")), (40, 2), (40, 2), (48, Decimal("2.4")), (56, Decimal("2.8")), (60, 3),
    ]  # fmt: skip


def test_tags_are_the_configs_and_no_others_are_read(
    configured: Configured, tmp_path: Path
) -> None:
    own = {"epoch_done": 2.0, "eval/loss": 1.5, "epoch": 7.0, "train/loss": 9.0}
    write(tmp_path / "logs/w/r", event("20T01:00", 1, **own))
    write(tmp_path / "logs/w/lr", event("20T01:00", 1, lr=0.1, accuracy=0.5))
    settings = configured({**LOGS, "metrics": {"epoch": "epoch_done", "loss": "eval/loss"}})
    (notice,) = notices(settings)
    assert notice.startswith("left out: a file without any of epoch_done, samples, ")
    assert notice.endswith("which has lr, accuracy")
    assert [(row["epoch"], row["loss"]) for row in samples(settings)] == [(2, 1.5)]
    plain = configured(LOGS)
    brought(plain)
    assert [(row["epoch"], row["loss"]) for row in samples(plain)] == [(7, 9.0)]


def test_a_loss_of_another_name_is_told_of(configured: Configured, tmp_path: Path) -> None:
    write(tmp_path / "logs/w/r", event("20T01:00", 1, epoch=1.0, valid_loss=2.5))
    (notice,) = notices(configured(LOGS))
    said = "left out: a value of valid_loss, so that no loss is known (name it in `metrics.loss`): "
    assert notice.startswith(f"{said}{tmp_path}/logs/w/r/")
    settings = configured({**LOGS, "metrics": {"loss": "valid_loss"}})
    assert notices(settings) == []
    assert [row["loss"] for row in samples(settings)] == [2.5]


def test_lightnings_own_name_of_a_loss_is_known(configured: Configured, tmp_path: Path) -> None:
    folder = tmp_path / "logs/w/r/lightning_logs/version_0"
    write(folder / "events.out.tfevents.1", event("20T01:00", 19, epoch=0.0, train_loss=2.5))
    (folder / "hparams.yaml").write_text("{}\n")
    assert notices(configured(LOGS)) == []
    assert [row["loss"] for row in samples(configured(LOGS)) if row["loss"]] == [2.5]


def test_other_metrics_replace_what_was_read_by_the_old_ones(
    configured: Configured, tmp_path: Path
) -> None:
    write(tmp_path / "logs/w/both", event("20T01:00", 1, epoch=1, done=2))
    write(tmp_path / "logs/w/old", event("20T01:00", 1, epoch=1))
    brought(configured(LOGS))
    settings = configured({**LOGS, "metrics": {"epoch": "done"}})
    (notice,) = notices(settings)
    assert notice.startswith("left out: a file without any of done, ")
    assert [(row["run"], row["epoch"]) for row in samples(settings)] == [("both", 2)]
    back = configured(LOGS)
    brought(back)
    assert [(row["run"], row["epoch"]) for row in samples(back)] == [("both", 1), ("old", 1)]


def test_a_file_without_the_new_metrics_is_read_by_them_once_and_again_when_it_has_grown(
    configured: Configured, tmp_path: Path
) -> None:
    """What was read by the old ones stays, so that they bring it back; it is no loss of values."""
    first, later = event("20T01:00", 1, epoch=1), event("20T02:00", 2, epoch=2)
    write(tmp_path / "logs/w/r", first)
    brought(configured(LOGS))
    settings = configured({**LOGS, "metrics": {"epoch": "done"}})
    assert [len(notices(settings)) for _ in range(2)] == [1, 0]
    write(tmp_path / "logs/w/r", first, later)
    assert [len(notices(settings)) for _ in range(2)] == [1, 0]
    write(tmp_path / "logs/w/r", first, later, event("20T03:00", 3, done=3))
    assert notices(settings) == []
    assert [row["epoch"] for row in samples(settings)] == [3]
    back = configured(LOGS)
    brought(back)
    assert [row["epoch"] for row in samples(back)] == [1, 2]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("epoch", [{"epoch": 0}, {"epoch": 9}]),
        ("epoch_index", [{"epoch": 1}, {"epoch": 10}]),
        ("samples", [{"samples": 0}, {"samples": 9}]),
        ("tokens", [{"tokens": 0}, {"tokens": 9}]),
    ],
)
def test_a_step_may_count_something_else_than_training_steps(
    configured: Configured, tmp_path: Path, step: str, expected: list[dict[str, int]]
) -> None:
    logged = (event(f"20T0{n}:00", n, epoch_loss=2.0) for n in (0, 9))
    write(tmp_path / "logs/w/r", *logged)
    settings = configured({**LOGS, "step": step, "metrics": {"loss": "epoch_loss"}})
    brought(settings)
    counters = ("epoch", "samples", "tokens", "step")
    found = [
        {name: row[name] for name in counters if row[name] is not None} for row in samples(settings)
    ]
    assert found == expected


def test_steps_alone_count_by_the_size_of_a_step(marts: SomeMarts) -> None:
    (day,) = marts.rows("SELECT tokens FROM progress_daily WHERE workload = 'w'")
    assert day["tokens"] == 8_388_608_000


def test_a_step_below_0_is_unknown(configured: Configured, tmp_path: Path) -> None:
    write(tmp_path / "logs/w/r", event("20T01:00", -1, epoch=1))
    settings = configured(LOGS)
    brought(settings)
    assert [(row["epoch"], row["step"]) for row in samples(settings)] == [(1, None)]


def test_a_file_without_a_workload_is_told_of(configured: Configured, tmp_path: Path) -> None:
    write(tmp_path / "logs/r", event("20T01:00", 1, epoch=1))
    (notice,) = notices(configured(LOGS))
    assert notice.startswith("left out: a file whose folder names no workload (set `workload`): ")


def test_a_file_in_another_folder_than_the_path_says_is_told_of(
    configured: Configured, tmp_path: Path
) -> None:
    for folder in ("r/train", "r/train/more", "r/validation", "s/validation"):
        write(tmp_path / "logs" / folder, event("20T01:00", 1, epoch=1))
    settings = configured({**LOGS, "workload": "w", "path": "{run}/train"})
    (notice,) = notices(settings)
    assert notice.startswith(
        "left out: 2 files whose folder does not fit path = {run}/train, such as "
    )
    assert runs(settings) == {("w", "r")}


def test_without_its_packages_a_pull_and_doctor_say_what_to_install(
    configured: Configured, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("delivered_values", "records"):
        monkeypatch.delitem(
            sys.modules, f"{TensorBoard.__module__.rpartition('.')[0]}.{name}", False
        )
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    settings = configured(LOGS)
    with pytest.raises(
        ConfigError, match=r"google-crc32c protobuf .*pip install google-crc32c protobuf"
    ):
        brought(settings)
    found = [one for one in examine(settings) if one.about == "tensorboard"]
    assert any("pip install google-crc32c protobuf" in one.remedy for one in found)


def test_a_run_that_vanished_stays_and_one_that_grows_is_read_again(
    configured: Configured, tmp_path: Path
) -> None:
    first = [event("20T01:00", 1, epoch=1)]
    gone = write(tmp_path / "logs/w/gone", *first)
    write(tmp_path / "logs/w/r", *first)
    settings = configured(LOGS)
    brought(settings)
    again = brought(settings).results[0]
    assert (again.new, again.unchanged) == (0, 2)
    gone.unlink()
    write(tmp_path / "logs/w/r", *first, event("20T02:00", 2, epoch=2))
    third = brought(settings).results[0]
    assert (third.new, third.unchanged, third.rows) == (1, 0, 2)
    assert [(row["run"], row["epoch"]) for row in samples(settings)] == [
        ("gone", 1), ("r", 1), ("r", 2)
    ]  # fmt: skip
    shutil.rmtree(tmp_path / "logs/w")
    brought(settings)
    assert len(RawZone(settings.data / "raw").live("tensorboard")) == 2


def test_objects_in_s3_are_read_as_files_are_and_fetched_again_only_when_they_grew(
    configured: Configured, logs: Path, s3: S3
) -> None:
    s3.put_folder(logs, "logs")
    settings = configured({"kind": "tensorboard", "location": "s3://bills/logs"})
    assert notices(settings) == []
    assert len(s3.asked()) == 7
    assert runs(settings) == {
        ("atlas-7b", "atlas-g1"),
        ("atlas-7b", "atlas-t7"),
        ("atlas-7b", "atlas-t8"),
        ("trainer", "atlas-h1"),
        ("lightning", "atlas-l1"),
    }
    write(logs / "atlas-7b" / "atlas-t8", event("22T01:00", 900, epoch=9), name="tfevents.2")
    s3.put_folder(logs / "atlas-7b" / "atlas-t8", "logs/atlas-7b/atlas-t8")
    brought(settings)
    asked = s3.asked()
    assert [line.rpartition("/")[2] for line in asked][-1:] == ["tfevents.2"]
    assert 9 in {row["epoch"] for row in samples(settings)}


def test_a_log_that_grew_by_nothing_that_is_read_is_fetched_once(
    configured: Configured, tmp_path: Path, s3: S3
) -> None:
    """As by pictures: its rows stay as they were."""
    first = event("20T01:00", 1, epoch=1)
    settings = configured({"kind": "tensorboard", "location": "s3://bills/logs"})
    told = []
    for events in ([first], [first, event("20T02:00", 2, picture=1)]):
        write(tmp_path / "logs/w/r", *events)
        s3.put_folder(tmp_path / "logs", "logs")
        told += [(brought(settings).results[0].new, len(s3.asked())) for _ in range(2)]
    assert told == [(1, 1), (0, 0), (0, 1), (0, 0)]

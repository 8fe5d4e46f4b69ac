"""Which workload and run a folder of a training log is of."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest import sources
from ingest.pull import pull
from ingest.pull.report import Result
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import S3, Configured

STATE = json.dumps({"log_history": [], "global_step": 5, "epoch": 0.5})
SOURCE = {"kind": "trainer_state", "location": "logs"}


def save(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).mkdir(parents=True)
        (folder / path / "trainer_state.json").write_text(STATE)


def pulled(settings: Settings) -> Result:
    return next(one for one in pull(settings).results if one.source == "trainer_state")


def named(settings: Settings) -> list[tuple[str, str | None]]:
    """The run and, where a folder names it, the workload of each delivery."""
    live = RawZone(settings.data / "raw").live("trainer_state")
    first = (pq.read_table(delivery.paths[0]).slice(0, 1).to_pylist()[0] for delivery in live)
    return sorted((row["run_name"], json.loads(row["Tags"]).get("workload")) for row in first)


@pytest.mark.parametrize(
    ("paths", "options", "names"),
    [
        (["atlas/a/checkpoint-5", "atlas/b", "bert/a"], {}, "a:atlas b:atlas a:bert"),
        (["a", "b/checkpoint-5"], {"workload": "w"}, "a:- b:-"),
        (["", "checkpoint-5"], {"workload": "w"}, "logs:-"),
        (["2026-09/atlas/a"], {}, "a:atlas"),
        (["team-1/atlas__a/out"], {"path": "team-*/{workload}__{run}/out"}, "a:atlas"),
        (["a/out/x", "b/out/y"], {"path": "{run}/out/*", "workload": "w"}, "a:- b:-"),
        (["atlas/a"], {"location": "logs/*/a/trainer_state.json", "workload": "w"}, "a:-"),
        (["atlas/a"], {"location": "logs/atlas/a/trainer_state.json", "workload": "w"}, "a:-"),
        (["a/checkpoint-5"], {"location": "logs/a/checkpoint-5", "workload": "w"}, "a:-"),
    ],
)
def test_folders_name_run_and_workload(
    configured: Configured, tmp_path: Path, paths: list[str], options: dict[str, str], names: str
) -> None:
    save(tmp_path / "logs", *paths)
    settings = configured(SOURCE | options)
    assert pulled(settings).notices == []
    due = [
        (run, None if of == "-" else of) for run, _, of in (n.partition(":") for n in names.split())
    ]
    assert named(settings) == sorted(due)


def test_what_names_no_workload_is_left_out_and_named(
    configured: Configured, tmp_path: Path
) -> None:
    save(tmp_path / "logs", "a", "b", "atlas/c")
    settings = configured(SOURCE)
    assert pulled(settings).notices == [
        f"2 folders, such as {tmp_path}/logs/a, are left out: nothing names their "
        "workload: set `workload` or `path` in the config"
    ]
    assert named(settings) == [("c", "atlas")]
    other = configured(SOURCE | {"path": "run-{run}", "workload": "w"})
    (notice,) = pulled(other).notices
    assert notice.startswith("3 folders, such as ")
    assert '`path = "run-{run}"` does not fit' in notice


def test_names_that_the_config_corrects_are_delivered_anew(
    configured: Configured, tmp_path: Path
) -> None:
    save(tmp_path / "logs", "team/a-1")
    assert pulled(configured(SOURCE)).new == 1
    settings = configured(SOURCE | {"path": "{workload}-{run}"})
    assert pulled(settings).new == 1
    assert named(settings) == [("1", "a")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": "{workload}"}, "path must say which folder is the run: write {run}"),
        ({"path": "{run}/{run}"}, "path may have {workload} and {run}, each once; not {run}"),
        ({"path": "{team}/{run}"}, "path may have {workload} and {run}, each once; not {team}"),
        ({"path": "{workload}/{run}", "workload": "w"}, "workload and path both name the workload"),
    ],
)
def test_a_pattern_that_names_no_run_or_names_it_twice_is_refused(
    configured: Configured, options: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        sources.configured(configured(SOURCE | options))
    assert said in str(caught.value)


def test_hundreds_of_runs_are_read_once(configured: Configured, tmp_path: Path) -> None:
    save(tmp_path / "logs", *(f"atlas/r{number}/checkpoint-5" for number in range(300)))
    settings = configured(SOURCE)
    result = pulled(settings)
    assert (result.new, result.errors, result.notices) == (300, [], [])
    assert pulled(settings).unchanged == 300


def test_runs_in_s3_are_named_alike_and_fetched_once(
    configured: Configured, tmp_path: Path, s3: S3
) -> None:
    save(tmp_path / "made", *(f"atlas/a/checkpoint-{step}" for step in (5, 10, 15)), "atlas/b")
    s3.put_folder(tmp_path / "made", "runs")
    s3.asked()
    settings = configured(SOURCE | {"location": "s3://bills/runs"})
    assert (pulled(settings).new, named(settings)) == (2, [("a", "atlas"), ("b", "atlas")])
    fetched = [one for one in s3.asked() if "trainer_state.json" in one]
    assert len(fetched) == 2, "of a run its last checkpoint"
    assert (pulled(settings).unchanged, s3.asked()) == (2, [])

"""METHOD §3.1, §3.4: what is known of a run from its samples, the config and its tags."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from models.marts.work.runs.run_registry import run_registry
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
SAID = {"recipe": "string", "purpose": "string", "resumed_from": "string", "start_epoch": "float64"}
RUN = {"workload": "string", "run": "string"}
PROGRESS = RUN | {"observed_at": "timestamp"}
SAMPLES = PROGRESS | SAID | {
    "epoch": "decimal(38, 9)", "samples": "decimal(38, 9)", "tokens": "decimal(38, 9)",
    "samples_per_epoch": "decimal(38, 9)", "excludes_repeats": "boolean",
    "timed_by_allocation": "boolean",
}  # fmt: skip
CHARGES = RUN | {
    "attribution": "string", "accelerator_hours": "decimal(38, 9)",
    "tag_recipe": "string", "tag_purpose": "string",
}  # fmt: skip
CONFIG = RUN | SAID | {"machines": "int64"}
W = {"workload": "w"}
STATED = {
    "newest": [
        {"recipe": "a", "purpose": "eval", "resumed_from": "p", "start_epoch": 1},
        {"recipe": "a", "purpose": " Smoke ", "start_epoch": 2},
        {"epoch": 2},
    ],
    "several": [{"recipe": "b"}, {"recipe": "c"}, {"recipe": "a"}],
    "tagged": [{"recipe": "a"}, {"epoch": 1}],
    "set": [{"recipe": "b", "purpose": "eval", "start_epoch": 3}, {"recipe": "a"}],
    "late": [{"epoch": D("1.5")}, {"epoch": 2}],
    "on time": [{"epoch": 1}, {"epoch": 2, "tokens": 5}],
    "by samples": [
        {"samples": 20, "samples_per_epoch": 10, "excludes_repeats": True},
        {"samples": 30, "samples_per_epoch": 20},
    ],
    "counted": [{"samples": 20, "timed_by_allocation": True}, {"samples": 30}],
    "tokens": [{"recipe": "a"}, {"tokens": 3}, {"tokens": 4}],
    "jumped": [{"tokens": 50}, {"tokens": 54}],
    "sized": [{"epoch": 0, "samples_per_epoch": 7}, {"epoch": 1}],
    "resized": [{"epoch": 0, "samples_per_epoch": 7}, {"epoch": 1, "samples_per_epoch": 14}],
    "ahead": [{"epoch": 0}],
}
"""What the samples of each run state, one an hour."""


def at(hour: int) -> datetime:
    return datetime(2025, 5, 1, hour)  # noqa: DTZ001 - UTC


def charged(run: str, hours: object, **columns: object) -> dict[str, object]:
    whose = {"attribution": "direct", "run": run, "accelerator_hours": hours}
    return W | whose | columns


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    samples = [
        W | {"run": run, "observed_at": at(hour)} | said
        for run, states in STATED.items()
        for hour, said in enumerate(states)
    ]
    ahead = [W | {"run": run, "observed_at": at(20)} for run in ("ahead", "only ahead")]
    charges = [
        charged("tagged", 3, tag_recipe="seldom", tag_purpose="EVAL"),
        charged("tagged", 2, tag_recipe="often"),
        charged("tagged", 2, tag_recipe="often"),
        charged("tagged", 9),
        charged("silent", 1, tag_recipe="of its tag", tag_purpose=" "),
        charged("indirect", 1, attribution="prorated"),
        charged("set", 1, tag_recipe="c", tag_purpose="eval"),
    ]
    config = [
        W | {"run": "set", "recipe": "d", "purpose": "Test", "resumed_from": "q",
             "start_epoch": 5, "machines": 4},
        {"workload": "other", "run": "silent", "machines": 1},
        {"run": "sized", "machines": 2},
    ]  # fmt: skip
    made = applied(
        run_registry,
        table(PROGRESS, *samples, *ahead),
        table(SAMPLES, *samples),
        table(CHARGES, *charges),
        table(CONFIG, *config),
    )
    return {row["run"]: row for row in made.to_pyarrow().to_pylist()}


def of(found: dict[str, dict[str, Any]], *names: str) -> dict[str, tuple[Any, ...]]:
    return {run: tuple(row[name] for name in names) for run, row in found.items()}


def test_every_run_is_listed_that_was_charged_directly_or_reported(
    found: dict[str, dict[str, Any]],
) -> None:
    assert found.keys() == {*STATED, "only ahead", "silent"}


def test_an_attribute_is_the_configs_else_the_newest_stated_else_that_of_its_tag(
    found: dict[str, dict[str, Any]],
) -> None:
    stated = of(found, "recipe", "purpose", "resumed_from", "start_epoch", "machines")
    nothing = (None, "production", None, None, None)
    assert stated == dict.fromkeys(found, nothing) | {
        "newest": ("a", "smoke", "p", 2, None),
        "several": ("a", "production", None, None, None),
        "tagged": ("a", "eval", None, None, None),
        "set": ("d", "test", "q", 5, 4),
        "tokens": ("a", "production", None, None, None),
        "silent": ("of its tag", "production", None, None, None),
        "sized": (None, "production", None, None, 2),
    }


def test_recipes_differ_where_samples_name_several_and_the_config_none(
    found: dict[str, dict[str, Any]],
) -> None:
    assert [run for run, row in found.items() if row["recipes_differ"]] == ["several"]
    assert {row["recipes_differ"] for row in found.values()} == {True, False}


def test_in_what_the_work_of_a_run_can_be_counted(found: dict[str, dict[str, Any]]) -> None:
    ways = {
        run: "".join(letter for letter, name in (
            ("e", "in_epochs"), ("s", "in_samples"), ("r", "reports_samples"), ("t", "in_tokens"),
            ("b", "by_samples"),
        ) if row[name])
        for run, row in found.items()
    }  # fmt: skip
    epochs = ("newest", "tagged", "late", "ahead", "resized")
    assert ways == dict.fromkeys(found, "") | dict.fromkeys(epochs, "e") | {
        "on time": "et",
        "by samples": "esrb",
        "counted": "sr",
        "tokens": "t",
        "jumped": "t",
        "sized": "es",
    }


def test_sizes_and_how_it_counts_are_those_of_any_of_its_samples(
    found: dict[str, dict[str, Any]],
) -> None:
    told = of(found, "least_size", "most_size", "by_increments", "timed_by_allocation")
    assert {run: row for run, row in told.items() if any(row)} == {
        "by samples": (10, 20, True, None),
        "counted": (None, None, None, True),
        "sized": (7, 7, None, None),
        "resized": (7, 14, None, None),
    }


def test_times_are_of_the_first_and_last_sample_and_of_the_first_count(
    found: dict[str, dict[str, Any]],
) -> None:
    times = of(found, "first_sample", "last_sample", "counted_from", "future_samples")
    assert times == {
        "newest": (at(0), at(2), at(2), False),
        "several": (at(0), at(2), None, False),
        "tagged": (at(0), at(1), at(1), False),
        "set": (at(0), at(1), None, False),
        "late": (at(0), at(1), at(0), False),
        "on time": (at(0), at(1), at(0), False),
        "by samples": (at(0), at(1), at(0), False),
        "counted": (at(0), at(1), at(0), False),
        "tokens": (at(0), at(2), at(1), False),
        "jumped": (at(0), at(1), at(0), False),
        "sized": (at(0), at(1), at(0), False),
        "resized": (at(0), at(1), at(0), False),
        "ahead": (at(0), at(0), at(0), True),
        "only ahead": (None, None, None, True),
        "silent": (None, None, None, False),
    }


def test_a_run_starts_late_above_an_epoch_or_ten_usual_distances(
    found: dict[str, dict[str, Any]],
) -> None:
    """The first of `on time` is one epoch, not more; `jumped` begins at 12.5 distances of four.

    `by samples` begins at epoch 20 / 20, of the newest size that it states.
    """
    first = {run: value for run, (value,) in of(found, "first_epoch").items() if value is not None}
    assert {run for run, row in found.items() if row["starts_late"]} == {"newest", "late", "jumped"}
    assert first == {
        "newest": 2, "tagged": 1, "late": D("1.5"), "on time": 1, "by samples": 1, "sized": 0,
        "resized": 0, "ahead": 0,
    }  # fmt: skip

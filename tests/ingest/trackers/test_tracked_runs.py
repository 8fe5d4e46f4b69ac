from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from ingest.trackers.tracked_runs import (
    instant,
    runs_by_day,
    unnamed_workloads,
    unreadable_numbers,
)

EVENING = datetime(2026, 10, 30, 23, 59, tzinfo=UTC)
MIDNIGHT = datetime(2026, 10, 31, tzinfo=UTC)


def test_runs_stand_under_the_day_on_which_they_began_in_order() -> None:
    began = {"c": MIDNIGHT, "b": EVENING, "a": MIDNIGHT}
    days = runs_by_day(began, str, began.__getitem__)
    assert list(days.items()) == [("2026-10-30", ["b"]), ("2026-10-31", ["a", "c"])]


def test_runs_without_a_workload_are_counted_and_one_is_named() -> None:
    runs = [("r1", '{"workload": "atlas"}'), ("r2", "{}"), ("r3", '{"run": "x"}')]
    assert list(unnamed_workloads("pretrain", runs, "workload", "tag nor parameter")) == [
        "pretrain: 2 of 3 runs, such as r2, have neither tag nor parameter `workload`: set it, "
        "or `workload` in the config"
    ]
    assert list(unnamed_workloads("pretrain", runs[:1], "workload", "tag nor parameter")) == []


@pytest.mark.parametrize(
    ("key", "value", "counts"),
    [
        ("tokens_per_step", "4194304", True),
        ("tokens_per_step", " 4.194304E6 ", True),
        ("tokens_per_step", "4_194_304", True),
        ("tokens_per_step", "None", True),
        ("tokens_per_step", "", True),
        ("tokens_per_step", "4,194,304", False),
        ("tokens_per_step", "4M", False),
        ("tokens_per_step", "NaN", False),
        ("tokens_per_step", "0", False),
        ("samples_per_step", "-1", False),
        ("samples_per_epoch", "1e30", False),
        ("start_epoch", "0", True),
        ("start_epoch", "\uff11", False),
        ("learning_rate", "high", True),
    ],
)
def test_a_number_that_does_not_count_is_told(key: str, value: str, counts: bool) -> None:
    runs = [("crab (8f0e)", json.dumps({key: value}))]
    said = (
        f"pretrain: {key} of run crab (8f0e) does not count, as it is not a number: {value.strip()}"
    )
    notices = [f"{said}: write it as 4194304"]
    assert list(unreadable_numbers("pretrain", runs)) == ([] if counts else notices)


def test_of_numbers_that_do_not_count_the_first_is_named_and_the_others_are_counted() -> None:
    runs = [(f"r{n}", '{"tokens_per_step": "2M", "samples_per_step": "1k"}') for n in range(2)]
    assert list(unreadable_numbers("pretrain", runs)) == [
        "pretrain: samples_per_step of run r0 does not count, as it is not a number: 1k, and so "
        "are 3 more: write it as 4194304"
    ]


def test_a_time_beyond_all_years_is_the_nearest_one() -> None:
    assert instant(1_800_000_000) == datetime(2027, 1, 15, 8, tzinfo=UTC)
    assert instant(1_800_000_000_000_000) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert instant(-1) == datetime(1970, 1, 1, tzinfo=UTC)

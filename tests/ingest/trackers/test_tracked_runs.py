from __future__ import annotations

from datetime import UTC, datetime

from ingest.trackers.tracked_runs import instant, runs_by_day, unnamed_workloads

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


def test_a_time_beyond_all_years_is_the_nearest_one() -> None:
    assert instant(1_800_000_000) == datetime(2027, 1, 15, 8, tzinfo=UTC)
    assert instant(1_800_000_000_000_000) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert instant(-1) == datetime(1970, 1, 1, tzinfo=UTC)

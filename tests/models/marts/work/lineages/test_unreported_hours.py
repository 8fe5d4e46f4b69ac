"""METHOD §5: which GPU lineages worked for hours of which nobody told what was done in them.

Each case is a lineage of May 2025, on one machine of eight accelerators unless said otherwise.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from models.marts.work.lineages.unreported_hours import with_unreported_hours
from tests.support.marts.mart_inputs import table

D = Decimal
FACTS = {
    "workload": "string",
    "lineage": "string",
    "undeclared": "boolean",
    "declared": "boolean",
    "by_increments": "boolean",
    "starts_at": "decimal(38, 9)",
    "counted_from": "timestamp",
    "counted_until": "timestamp",
    "first_day": "date",
    "all_hours": "decimal(38, 9)",
}
DAYS = {
    "workload": "string",
    "lineage": "string",
    "run": "string",
    "date": "date",
    "instance_hours": "decimal(38, 9)",
    "accelerator_hours": "decimal(38, 9)",
    "active": "boolean",
}
RUNS = {
    "workload": "string",
    "run": "string",
    "resumed_from": "string",
    "counted_from": "timestamp",
}
Counter = tuple[int, int, int, int]
"""Day and hour of a counter's first sample, and of its last."""
Row = dict[str, Any]


def told(counter: Counter | None) -> Row:
    ends = [counter[:2], counter[2:]] if counter else []
    found = [datetime(2025, 5, day, hour) for day, hour in ends] or [None, None]  # noqa: DTZ001 - UTC
    return dict(zip(("counted_from", "counted_until"), found, strict=True))


def judged(cases: dict[str, Row]) -> dict[str, tuple[bool, bool]]:
    """By lineage `reported_late` and `partly_reported`, of its `hours` by run and day."""
    facts, days, runs = [], [], []
    for lineage, case in cases.items():
        named = {"workload": "w", "lineage": lineage}
        counter = told(case.get("counter"))
        hours = case["hours"]
        whole = 8 * sum(sum(spent.values()) for spent in hours.values())
        first = date(2025, 5, min(day for spent in hours.values() for day in spent))
        said = dict.fromkeys(("undeclared", "declared", "by_increments"), False)
        facts.append(named | said | counter | {"first_day": first, "all_hours": whole} | case)
        for run, spent in hours.items():
            resumed = case.get("resumed", {}).get(run)
            heard = counter["counted_from"] if run in case.get("heard", "a") else None
            runs.append(
                {"workload": "w", "run": f"{lineage}-{run}", "counted_from": heard,
                 "resumed_from": resumed and f"{lineage}-{resumed}"}
            )  # fmt: skip
            days += [
                named | {"run": f"{lineage}-{run}", "date": date(2025, 5, day), "active": n != 0,
                         "instance_hours": n, "accelerator_hours": 8 * n}
                for day, n in spent.items()
            ]  # fmt: skip
    kept = [{name: row.get(name) for name in FACTS} for row in facts]
    found = with_unreported_hours(table(FACTS, kept), table(DAYS, days), table(RUNS, runs))
    rows = found.to_pyarrow().to_pylist()
    assert len(rows) == len(cases)
    return {row["lineage"]: (row["reported_late"], row["partly_reported"]) for row in rows}


@pytest.fixture(scope="module")
def late() -> dict[str, bool]:
    steps = {"by_increments": True, "hours": {"a": {1: 24, 2: 24, 3: 24}}}
    above = {"undeclared": True}
    found = judged(
        {
            "the next day": steps | {"counter": (2, 23, 3, 23)},
            "two days on": steps | {"counter": (3, 0, 3, 23)},
            "two days on, as said": steps | {"counter": (3, 0, 3, 23), "declared": True},
            "two days on, by a level": steps | {"counter": (3, 0, 3, 23), "by_increments": False},
            "never": steps,
            "a twentieth": above | {"counter": (2, 0, 3, 0), "hours": {"a": {1: 1, 2: 19}}},
            "more": above | {"counter": (3, 0, 4, 0), "hours": {"a": {1: 1, 2: 1, 3: 19}}},
            "a quiet first day": above
            | {"counter": (2, 12, 3, 9), "hours": {"a": {1: 1, 2: 1, 3: 10}}},
            "stopped": above
            | {
                "counter": (1, 0, 1, 18),
                "hours": {"a": {1: 10, 2: 0}, "b": {1: 10}},
                "heard": "ab",
            },
            "went on": above | {"counter": (1, 0, 1, 10), "hours": {"a": {1: 18, 2: 1}}},
            "at noon": above | {"counter": (1, 12, 2, 9), "hours": {"a": {1: 20, 2: 1}}},
            "on two machines": above | {"counter": (1, 9, 2, 9), "hours": {"a": {1: 30, 2: 10}}},
            "on none": above | {"counter": (1, 9, 2, 9), "hours": {"a": {1: 0}}},
        }
    )
    assert {half for _, half in found.values()} == {False}
    return {lineage: late for lineage, (late, _) in found.items()}


def test_a_counter_of_increments_may_begin_a_day_late(late: dict[str, bool]) -> None:
    """Unless it is said where the run began; a level tells what was done before it."""
    assert {name: late[name] for name in late if name.startswith(("the", "two", "never"))} == {
        "the next day": False,
        "two days on": True,
        "two days on, as said": False,
        "two days on, by a level": False,
        "never": False,
    }


def test_a_twentieth_of_the_hours_may_lie_before_a_counter_that_began_above_one_epoch(
    late: dict[str, bool],
) -> None:
    """Of 20 hours one, of 21 two; of 12 one, whatever more would fit behind the first sample."""
    found = {name: late[name] for name in ("a twentieth", "more", "a quiet first day")}
    assert found == {"a twentieth": False, "more": True, "a quiet first day": True}


def test_hours_of_its_first_day_lie_behind_its_first_sample_as_far_as_they_fit(
    late: dict[str, bool],
) -> None:
    """20 hours fit neither into 18, after which only a disk was paid, nor into half a day; 30 do
    into 15 of two boxes.
    """
    names = ("stopped", "went on", "at noon", "on two machines", "on none")
    assert {name: late[name] for name in names} == {
        "stopped": True,
        "went on": False,
        "at noon": True,
        "on two machines": False,
        "on none": False,
    }


def test_hours_of_silent_runs_count_where_no_other_saw_what_was_done() -> None:
    """`a` counts, from the 10th to the 20th and at epoch 5; `x` and `y` told nothing."""
    counter: Counter = (10, 0, 20, 0)
    known = {"counter": counter, "starts_at": 5}
    zero = {"counter": counter}
    found = judged(
        {
            "a twentieth": known | {"hours": {"a": {10: 24, 11: 14}, "x": {9: 2}}},
            "on two days": known | {"hours": {"a": {10: 24, 11: 13}, "x": {8: 1, 9: 1}}},
            "of two runs": known | {"hours": {"a": {10: 24, 11: 13}, "x": {9: 1}, "y": {9: 1}}},
            "a little": known | {"hours": {"a": {10: 1}, "x": {9: D("0.1")}}},
            "taken back": known
            | {"hours": {"a": {10: 24, 11: 14}, "x": {9: D("2.05")}, "y": {9: D("-0.1")}}},
            "the same day": known | {"hours": {"a": {10: 9}, "x": {10: 9}}},
            "from before": known | {"hours": {"a": {10: 9}, "x": {9: 9, 11: 9}}},
            "between": known | {"hours": {"a": {10: 9}, "x": {9: 0, 11: 9, 19: 9, 25: 0}}},
            "the last day": known | {"hours": {"a": {10: 9}, "x": {11: 9, 20: 9}}},
            "resumed it": known | {"hours": {"a": {10: 9}, "x": {10: 9}}, "resumed": {"x": "a"}},
            "resumed another": known
            | {"hours": {"a": {10: 9}, "x": {10: 9}, "y": {10: 0}}, "resumed": {"x": "y"}},
            "before a start at 0": zero | {"hours": {"a": {10: 9}, "x": {9: 9}}},
            "before one that was said": zero
            | {"starts_at": 0, "hours": {"a": {10: 9}, "x": {9: 9}}},
            "before increments": zero
            | {"by_increments": True, "declared": True, "hours": {"a": {10: 9}, "x": {9: 9}}},
            "it resumed": zero | {"hours": {"a": {10: 9}, "x": {20: 9}}, "resumed": {"a": "x"}},
            "two resumed": known
            | {
                "heard": "ab",
                "hours": {"a": {10: 24, 11: 14}, "b": {10: 10}, "x": {9: 2}},
                "resumed": {"a": "x", "b": "x"},
            },
        }
    )
    assert {late for late, _ in found.values()} == {False}
    assert {lineage: half for lineage, (_, half) in found.items()} == {
        "a twentieth": False,
        "on two days": True,
        "of two runs": True,
        "a little": True,
        "taken back": True,
        "the same day": True,
        "from before": True,
        "between": False,
        "the last day": True,
        "resumed it": False,
        "resumed another": True,
        "before a start at 0": False,
        "before one that was said": False,
        "before increments": True,
        "it resumed": False,
        "two resumed": False,
    }

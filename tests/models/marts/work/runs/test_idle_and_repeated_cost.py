"""METHOD §4.3: what a run cost before its first progress, on idle days and for repeated work."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import ibis.expr.types as ir
import pytest

from models.marts.work.runs.idle_and_repeated_cost import (
    idle_cost,
    repeated_cost,
    startup_cost,
    with_start,
)
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

NUMBER = "decimal(38, 9)"
RUN = {"workload": "string", "run": "string"}
WORK = ("epochs", "repeated_epochs", "unbilled_epochs")
DAYS = RUN | {
    "date": "date", "settled": "boolean", "worked": "boolean", "cost": NUMBER,
    "accelerator_cost": NUMBER, **dict.fromkeys(WORK, NUMBER),
}  # fmt: skip
HOURS = RUN | {"began": "timestamp", "stopped": "timestamp"}
STEPS = RUN | {
    "since": "timestamp", "observed_at": "timestamp", "rise": NUMBER, "repeated": NUMBER,
}  # fmt: skip
SUMS = RUN | dict.fromkeys(("cost", "idle_cost", "epochs", "repeated_epochs"), NUMBER)
W = {"workload": "w"}
NONE, DID = dict.fromkeys(WORK, 0), {"epochs": 1}
WORKED = (DID, {"repeated_epochs": 1})


def at(hour: int, day: int = 1) -> datetime:
    return datetime(2025, 9, day, hour)  # noqa: DTZ001 - UTC


CASES: dict[str, tuple[list[dict[str, Any]], tuple[Any, Any], list[dict[str, Any]]]] = {
    "compiles": ([DID], (at(10), at(14)), [{"since": at(11), "observed_at": at(13), "rise": 1}]),
    "second day": (
        [NONE, DID, DID],
        (at(12), at(12, 3)),
        [{"observed_at": at(6, 2), "rise": 1}, {"observed_at": at(1, 2), "rise": 0},
         {"since": at(7, 2), "observed_at": at(8, 2), "rise": 1}],
    ),
    "repeats": ([{"repeated_epochs": 1}], (at(10), at(14)),
                [{"since": at(13), "observed_at": at(14), "rise": 0, "repeated": 1}]),
    "unbilled": ([{"unbilled_epochs": 1}, DID], (at(10), at(14, 2)),
                 [{"observed_at": at(17), "rise": 1}]),
    "before": ([DID], (at(10), at(14)), [{"observed_at": at(9), "rise": 1}]),
    "after": ([DID], (at(10), at(14)), [{"observed_at": at(15), "rise": 1}]),
    "no hours": ([NONE, DID], (None, None), [{"observed_at": at(9, 2), "rise": 1}]),
    "no length": ([DID], (at(10), at(10)), [{"observed_at": at(11), "rise": 1}]),
    "never": ([NONE, NONE], (at(10), at(14, 2)), [{"observed_at": at(11), "rise": 0}]),
}  # fmt: skip
"""Of each run: what it did day by day, when its machines began and stopped, and its steps."""


def started(**days: object) -> tuple[ir.Table, ...]:
    of_days = [
        W | NONE | {"run": run, "date": date(2025, 9, number), "settled": True, "cost": 24,
                    "worked": did in WORKED,
                    "accelerator_cost": 20} | did | days
        for run, (dids, _, _) in CASES.items()
        for number, did in enumerate(dids, 1)
    ]  # fmt: skip
    hours = [
        W | {"run": run, "began": began, "stopped": stopped}
        for run, (_, (began, stopped), _) in CASES.items()
    ]
    steps = [
        W | {"repeated": 0} | step | {"run": run}
        for run, (_, _, moves) in CASES.items()
        for step in moves
    ]
    return table(DAYS, *of_days), table(HOURS, *hours), table(STEPS, *steps)


def summed(days: ir.Table, run_hours: ir.Table, progress_steps: ir.Table) -> ir.Table:
    found = with_start(days, run_hours, progress_steps)
    return found.group_by("run").agg(startup=startup_cost(found), idle=idle_cost(found))


def test_a_day_before_the_first_progress_is_start_up_and_of_its_own_day_the_part_before() -> None:
    found = rows(applied(with_start, *started()), "run", "date", "start_part")
    parts: dict[str, list[float | None]] = {}
    for run, _, part in found:
        parts.setdefault(run, []).append(part)
    assert parts == {
        "compiles": [0.25],
        "second day": [1.0, 0.25, 0.0],
        "repeats": [0.75],
        "unbilled": [0.5, 0.0],
        "before": [0.0],
        "after": [1.0],
        "no hours": [1.0, 0.0],
        "no length": [0.0],
        "never": [None, None],
    }


def test_start_up_is_of_accelerators_and_idle_days_are_whole() -> None:
    """$24 a day, of which $20 are accelerators; an unbilled day is idle, for its cost is none."""
    assert rows(applied(summed, *started()), "run", "startup", "idle") == [
        ("after", 20, 20),
        ("before", 0, 0),
        ("compiles", 5, 5),
        ("never", None, 48),
        ("no hours", 20, 24),
        ("no length", 0, 0),
        ("repeats", 15, 15),
        ("second day", 25, 29),
        ("unbilled", 10, 24),
    ]


def test_days_that_are_not_settled_are_neither() -> None:
    found = rows(applied(summed, *started(settled=False)), "run", "startup", "idle")
    assert found == [(run, None if run == "never" else 0, 0) for run in sorted(CASES)]


def test_what_accelerators_cost_must_be_known_where_a_part_of_it_is_start_up() -> None:
    found = rows(applied(summed, *started(accelerator_cost=None)), "run", "startup", "idle")
    known = {run: (startup, idle) for run, startup, idle in found if idle is not None}
    assert known == {
        "before": (0, 0),
        "never": (None, 48),
        "no hours": (None, 24),
        "no length": (0, 0),
        "unbilled": (None, 24),
    }


@pytest.mark.parametrize(
    ("cost", "idle", "epochs", "repeated", "part"),
    [(1000, 200, 9, 1, 80), (1000, 200, 9, 0, 0), (1000, 0, 0, 2, 1000), (1000, 0, 0, 0, None),
     (None, 0, 9, 1, None)],
)  # fmt: skip
def test_repeated_work_costs_its_part_of_what_was_not_idle(
    cost: object, idle: int, epochs: int, repeated: int, part: object
) -> None:
    row = {"cost": cost, "idle_cost": idle, "epochs": epochs, "repeated_epochs": repeated}
    assert rows(applied(_repeated, table(SUMS, W | row)), "part") == [(part,)]


def _repeated(runs: ir.Table) -> ir.Table:
    return runs.select(part=repeated_cost(runs))

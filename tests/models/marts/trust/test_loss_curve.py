"""METHOD §3.5: what a lineage had cost when a loss was reported, by hand."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from models.marts.trust.loss_curve import loss_curve
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

NUMBER = "decimal(38, 9)"
RUN = {"workload": "string", "run": "string"}
SAMPLES = RUN | {"observed_at": "timestamp", "epoch": NUMBER, "loss": "float64"}
WORK = RUN | {
    "lineage": "string", "date": "date", "hardware": "string", "cost": NUMBER,
    "instance_hours": NUMBER,
}  # fmt: skip
LINEAGES = RUN | {"lineage": "string"}
HOURS = RUN | {"began": "timestamp"}
W = {"workload": "w"}
OF = {"a": "l", "b": "l", "c": "m"}


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 9, day, hour)  # noqa: DTZ001 - UTC


def curve(
    *samples: tuple[str, datetime, float | None], costs: dict[tuple[str, int], object],
    began: dict[str, datetime | None],
) -> list[tuple[Any, ...]]:  # fmt: skip
    """Days of a run cost so much, and each is of 24 instance-hours."""
    reports = [
        W | {"run": run, "observed_at": when, "loss": loss, "epoch": 1}
        for run, when, loss in samples
    ]
    work = [
        W | {"run": run, "lineage": OF[run], "date": date(2026, 9, day), "hardware": "gpu",
             "cost": cost, "instance_hours": 24}
        for (run, day), cost in costs.items()
    ]  # fmt: skip
    lineages = [W | {"run": run, "lineage": lineage} for run, lineage in OF.items()]
    hours = [W | {"run": run, "began": when} for run, when in began.items()]
    made = applied(
        loss_curve,
        table(SAMPLES, *reports),
        table(WORK, *work),
        table(LINEAGES, *lineages),
        table(HOURS, *hours),
    )
    names = ("run", "observed_at", "cost_so_far", "hours_so_far", "clock_so_far", "hardware")
    return rows(made, *names)


def test_a_sample_is_at_what_all_runs_of_its_lineage_cost_by_then() -> None:
    found = curve(
        ("a", at(1, 12), 2.0),
        ("b", at(3, 6), 1.0),
        ("b", at(3, 7), None),
        ("b", at(3, 8), float("nan")),
        ("c", at(1, 18), 3.0),
        ("a", at(9, 1), 1.0),  # a day on which the lineage neither cost nor did anything
        costs={("a", 1): 100, ("a", 3): 10, ("b", 3): 30, ("c", 1): 4},
        began={"a": at(1, 6), "b": at(1, 4), "c": at(1, 17)},
    )
    assert found == [
        ("a", at(1, 12), 50, 12, 8, "gpu"),
        ("b", at(3, 6), 110, 36, 50, "gpu"),
        ("c", at(1, 18), 3, 18, 1, "gpu"),
    ]


def test_the_cost_is_unknown_from_the_first_day_of_unknown_cost_on() -> None:
    found = curve(
        *(("a", at(day, 12), 1.0) for day in (1, 2, 3)),
        costs={("a", 1): 100, ("a", 2): None, ("b", 2): 5, ("a", 3): 10},
        began={"a": at(1, 0), "b": at(1, 2)},
    )
    assert [(cost, hours) for _, _, cost, hours, *_ in found] == [(50, 12), (None, 48), (None, 84)]


def test_the_clock_is_unknown_where_the_first_hour_of_one_run_is() -> None:
    known, unknown = (
        curve(("a", at(1, 12), 1.0), costs={("a", 1): 1}, began={"a": at(1, 2), "b": other})
        for other in (at(1, 4), None)
    )
    assert (known[0][4], unknown[0][4]) == (10, None)

"""METHOD §3.6: what had accrued when a lineage's loss reached the target, a day's cost by time."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from models.marts.work.runs.cost_to_target_loss import cost_to_target_loss
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

NUMBER = "decimal(38, 9)"
LINE = {"workload": "string", "lineage": "string"}
RUN = {"workload": "string", "run": "string"}
DAYS = LINE | {
    "run": "string", "date": "date", "in_lineage": "boolean", "settled": "boolean",
    "cost": NUMBER, "unbilled_epochs": NUMBER,
}  # fmt: skip
FACTS = LINE | {
    "target_at": "timestamp", "first_day": "date", "last_day": "date",
    "settled_through": "date", "all_hours": NUMBER,
}  # fmt: skip
REGISTRY = RUN | {"first_sample": "timestamp", "last_sample": "timestamp"}
HOURS = RUN | {"began": "timestamp", "stopped": "timestamp"}


def at(hour: int, day: int = 2) -> datetime:
    return datetime(2025, 9, day, hour)  # noqa: DTZ001 - UTC


def to_target(
    reached: datetime, *hours: tuple[str, datetime | None, datetime | None], last: int = 2
) -> dict[str, Any]:
    """Dollars by run: a lineage of runs with their hours, $400 on 2 September.

    It ends on the day `last`; each run's samples are from 11:00 to 20:00.
    """
    of = {"workload": "w", "lineage": "a"}
    day = of | {"date": date(2025, 9, 2), "in_lineage": True, "settled": True}
    day |= {"cost": 400 // len(hours), "unbilled_epochs": 0}
    days = [day | {"run": run} for run, *_ in hours]
    facts = of | {
        "target_at": reached, "first_day": date(2025, 9, 2), "last_day": date(2025, 9, last),
        "settled_through": date(2025, 9, 9), "all_hours": 1,
    }  # fmt: skip
    known = [of | {"run": run} for run, *_ in hours]
    told = [run | {"first_sample": at(11), "last_sample": at(20)} for run in known]
    spans = [of | {"run": run, "began": since, "stopped": until} for run, since, until in hours]
    made = applied(
        cost_to_target_loss,
        table(DAYS, *days),
        table(FACTS, facts),
        table(REGISTRY, *told),
        table(LINE | {"run": "string"}, *known),
        table(HOURS, *spans),
    )
    return dict(rows(made, "run", "cost_to_target_loss"))


def test_start_up_and_what_ran_on_after_the_last_report_are_of_the_days_time() -> None:
    """Charged from 10:00 to 20:00: of ten hours five had passed."""
    assert to_target(at(15), ("a", at(10), at(20))) == {"a": 200}
    assert to_target(at(15), ("a", at(13), at(14)), ("b", at(10), at(20))) == {"a": 200}


def test_a_day_ends_at_midnight_for_what_runs_on() -> None:
    assert to_target(at(15), ("a", at(10), at(4, 3)), last=3) == {"a": Decimal("142.857142857")}
    assert to_target(at(15), ("a", at(20, 1), at(1, 3))) == {"a": 250}


def test_where_no_hour_is_known_the_whole_day_is_the_time() -> None:
    assert to_target(at(12), ("a", None, None)) == {"a": 200}
    assert to_target(at(15), ("a", at(15), at(15))) == {"a": 400}

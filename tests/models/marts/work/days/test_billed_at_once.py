"""METHOD §4.2: a bill that has all of a lineage's hours on one day covers all its days."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import NUMBER
from models.marts.work.days.unbilled_days import unbilled_days
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

LINE = {"workload": "string", "lineage": "string"}
DAYS = {
    **LINE, "date": "date", "hardware": "string", "settled": "boolean", "billed": "boolean",
    **dict.fromkeys(("accelerator_hours", "instance_hours", "epochs", "tokens", "samples"), NUMBER),
}  # fmt: skip
SPENT = {
    "workload": "string", "date": "date", "hardware": "string", "component": "string",
    "attribution": "string", "accelerator_hours": NUMBER,
}  # fmt: skip
STEPS = {**LINE, "since": "timestamp", "observed_at": "timestamp", "rise": NUMBER}
FIRST = date(2026, 10, 5)
START = datetime(2026, 10, 5)  # noqa: DTZ001 - UTC
TEN = range(10)
"""Each lineage makes an epoch a day from the fifth of October on: it lasts 240 hours."""


def worked(number: int, hours: object = None, lineage: str = "l") -> Mapping[str, Any]:
    """A day, counted from the first; `hours` of a machine of 32 are on the bill."""
    spent = Decimal(str(hours or 0))
    return {
        "workload": "w", "lineage": lineage, "date": FIRST + timedelta(days=number),
        "hardware": "trainium" if spent else None, "settled": True, "billed": bool(spent),
        "instance_hours": spent, "accelerator_hours": 32 * spent,
        "epochs": int(number in TEN),
    }  # fmt: skip


def rose(number: int, lineage: str = "l") -> Mapping[str, Any]:
    begin = START + timedelta(days=number)
    ends = {"since": begin, "observed_at": begin + timedelta(days=1)}
    return {"workload": "w", "lineage": lineage, "rise": 1, **ends}


def unbilled(hours: Mapping[int, object], lineage: str = "l") -> tuple[list[Any], list[Any]]:
    """Days since the first that no bill covers, of a lineage with `hours` by such days."""
    days = [worked(n, hours.get(n), lineage) for n in sorted({*TEN, *hours})]
    return days, [rose(n, lineage) for n in TEN]


def found(*lineages: tuple[list[Any], list[Any]]) -> list[tuple[str, int]]:
    days, steps = ([row for each in lineages for row in each[part]] for part in (0, 1))
    made = applied(unbilled_days, table(DAYS, *days), table(SPENT), table(STEPS, *steps))
    told = made.select("lineage", "date").to_pyarrow().to_pylist()
    return sorted((row["lineage"], (row["date"] - FIRST).days) for row in told)


@pytest.mark.parametrize(("hours", "covered"), [(240, True), (241, True), ("239.999999", False)])
def test_hours_of_one_day_cover_all_if_they_are_enough_for_the_whole_time(
    hours: object, covered: bool
) -> None:
    expected = [] if covered else [("l", n) for n in range(1, 10)]
    assert found(unbilled({0: hours})) == expected


def test_hours_of_two_runs_on_that_day_are_counted_together() -> None:
    days, steps = unbilled({0: 120})
    assert found(([*days, worked(0, 120)], steps)) == []


def test_so_do_hours_on_the_first_of_months_if_together_they_are_enough() -> None:
    september, october = -34, -4
    assert [(FIRST + timedelta(days=number)).day for number in (september, october)] == [1, 1]
    assert found(unbilled({september: 120, october: 120})) == []
    assert found(unbilled({september: 119, october: 120})) == [("l", n) for n in TEN]


def test_hours_on_other_days_cover_only_these() -> None:
    assert found(unbilled({0: 200, 1: 200})) == [("l", n) for n in range(2, 10)]


def test_each_lineage_is_judged_by_its_own_hours() -> None:
    lines = unbilled({0: 240}), unbilled({0: 24}, "m")
    assert found(*lines) == [("m", n) for n in range(1, 10)]

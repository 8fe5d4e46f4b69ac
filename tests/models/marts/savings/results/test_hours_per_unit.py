"""METHOD §4.5: the median hours of a unit of work, on each side, by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from models.marts.savings.results.hours_per_unit import hours_per_unit
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

NUMBER = "decimal(38, 9)"
COLUMNS = {"workload": "string", "kind": "string", "hardware": "string",
           "hours_per_epoch": NUMBER, "whole_work": NUMBER}  # fmt: skip


def run(hardware: str, hours: str | None, work: int) -> dict[str, Any]:
    of = {"workload": "w", "kind": "k", "hardware": hardware, "whole_work": Decimal(work)}
    return of | {"hours_per_epoch": hours and Decimal(hours)}


def test_hours_are_the_median_of_the_lineages_whose_hours_are_known() -> None:
    given = [
        run("gpu", "9", 4), run("gpu", "10", 6), run("gpu", "14", 10), run("gpu", None, 100),
        run("trainium", "14", 4), run("trainium", "15", 5),
    ]  # fmt: skip
    made = applied(hours_per_unit, table(COLUMNS, *given))
    assert rows(made, "hardware", "timed_runs", "hours_per_epoch", "median_work") == [
        ("gpu", 3, 10, 6),
        ("trainium", 2, Decimal("14.5"), Decimal("4.5")),
    ]

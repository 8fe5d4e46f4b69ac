"""METHOD §6.4: what settled days add up to, by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from models.marts.savings.running_totals import with_running_totals
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
MONEY = "decimal(38, 9)"


def day(number: int) -> date:
    return date(2026, 9, number)


def totals(*days: tuple[str, bool, object, object]) -> list[tuple[Any, ...]]:
    """Of days from 1 September on, each settled or not, with a net saving and an investment."""
    columns = {"workload": "string", "date": "date", "settled": "boolean", "net_saving": MONEY,
               "investment": MONEY}  # fmt: skip
    given = [
        dict(zip(columns, (workload, day(number), *said), strict=True))
        for number, (workload, *said) in enumerate(days, 1)
    ]
    made = applied(with_running_totals, table(columns, *reversed(given)))
    names = ("cumulative_net_saving", "cumulative_investment", "cumulative_net", "roi")
    return [amounts for _, *amounts in rows(made, "date", *names)]  # type: ignore[misc]


def test_settled_days_add_up_by_workload_and_others_have_no_total() -> None:
    """What was invested on a day without allocations was spent, and counts from the next one on."""
    assert totals(
        ("w", True, -3, 0),
        ("w", True, 5, 8),
        ("x", True, 100, 400),
        ("w", False, 1000, 1000),
        ("w", True, 10, -2),
        ("w", False, 1000, 1000),
    ) == [
        [-3, 0, -3, None],
        [2, 8, -6, D("-0.75")],
        [100, 400, -300, D("-0.75")],
        [None, None, None, None],
        [12, 1006, -994, D("-0.988071571")],
        [None, None, None, None],
    ]


def test_a_return_is_of_an_investment_above_nothing() -> None:
    found = totals(("w", True, 5, -1), ("w", True, 0, 1), ("w", True, 0, D("0.5")))
    assert [roi for *_, roi in found] == [None, None, 9]


def test_an_unknown_amount_makes_the_rest_unknown_unless_its_day_is_not_settled() -> None:
    assert totals(
        ("w", True, 1, 2),
        ("w", False, None, 0),
        ("w", True, 2, None),
        ("w", True, None, 1),
        ("w", True, 4, 1),
        ("x", True, 8, 1),
    ) == [
        [1, 2, -1, D("-0.5")],
        [None, None, None, None],
        [3, None, None, None],
        [None, None, None, None],
        [None, None, None, None],
        [8, 1, 7, 7],
    ]

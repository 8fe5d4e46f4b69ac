"""METHOD §6.3: what the move was paid for, listed by day or by month."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from models.marts.trust.investments import investments
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
DAILY = {"date": "date", "workload": "string", "kind": "string", "amount": "decimal(38, 9)"}


def listed(kind: str, *amounts: tuple[int, int, Decimal | None]) -> list[tuple[Any, ...]]:
    """Month, day and amount: of a workload's kind of 2026."""
    days = [
        {"date": date(2026, month, day), "workload": "w", "kind": kind, "amount": amount}
        for month, day, amount in amounts
    ]
    made = applied(investments, table(DAILY, *days))
    return [(at.month, at.day, amount) for at, amount in rows(made, "date", "amount")]


def test_a_month_with_a_day_of_unknown_cost_is_unknown_and_other_months_are_not() -> None:
    days = [(2, 3, D(5)), (2, 7, None), (3, 1, D(7)), (3, 2, D(1))]
    assert listed("port", *days) == [(2, 1, None), (3, 1, D(8))]

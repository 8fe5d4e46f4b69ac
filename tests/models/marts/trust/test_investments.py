"""METHOD §6.3: what the move was paid for, listed by day or by month."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, get_args

import pytest

from dashboard.wording.investments import KINDS
from models.config.migration import Investment
from models.marts.trust.investments import investments
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
DAILY = {"date": "date", "workload": "string", "kind": "string", "amount": "decimal(38, 9)"}
CONFIGURED = set(get_args(Investment.model_fields["kind"].annotation))


def listed(kind: str, *amounts: tuple[int, int, Decimal | None]) -> list[tuple[Any, ...]]:
    """Month, day and amount: of a workload's kind of 2026."""
    days = [
        {"date": date(2026, month, day), "workload": "w", "kind": kind, "amount": amount}
        for month, day, amount in amounts
    ]
    made = applied(investments, table(DAILY, *days))
    return [(at.month, at.day, amount) for at, amount in rows(made, "date", "amount")]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_the_config_states_is_listed_by_day_and_what_the_bill_says_by_month(kind: str) -> None:
    days = [(2, 3, D(5)), (2, 7, D(6)), (3, 1, D(7))]
    assert listed(kind, *days) == (days if kind in CONFIGURED else [(2, 1, D(11)), (3, 1, D(7))])


def test_a_month_with_a_day_of_unknown_cost_is_unknown_and_other_months_are_not() -> None:
    days = [(2, 3, D(5)), (2, 7, None), (3, 1, D(7)), (3, 2, D(1))]
    assert listed("port", *days) == [(2, 1, None), (3, 1, D(8))]

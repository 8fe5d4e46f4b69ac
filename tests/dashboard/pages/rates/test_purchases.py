"""How hours were bought: the months that a table has no room for are named."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.rates.purchases import coverage_table
from tests.support.dashboard.text import text


def month(number: int) -> dict[str, Any]:
    options = dict.fromkeys(("committed", "spot", "capacity_block"), Decimal(0))
    bought = {"hours": Decimal(8), "on_demand": Decimal(8), "idle": Decimal(0)}
    year, of_year = divmod(number, 12)
    return {"month": f"{2024 + year}-{of_year + 1:02}", **options, **bought}


@pytest.mark.parametrize(("months", "said"), [(24, False), (30, True)])
def test_older_months_than_24_are_said_to_be_left_out(months: int, said: bool) -> None:
    shown = text(coverage_table([month(number) for number in reversed(range(months))]))
    assert ("The newest 24 of 30 months." in shown) == said

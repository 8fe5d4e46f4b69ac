"""The portfolio repeats every row of every workload under its own name."""

from __future__ import annotations

from models.contract.portfolio import with_portfolio
from tests.support.marts.hand_written_tables import rows, table


def test_equal_rows_and_rows_of_no_workload_are_all_in_the_portfolio() -> None:
    given = table(
        {"day": "int64", "workload": "string", "cost": "int64"},
        {"day": 1, "workload": "atlas", "cost": 5},
        {"day": 1, "workload": "atlas", "cost": 5},
        {"day": 1, "workload": "borea", "cost": 7},
        {"day": 1, "workload": None, "cost": 11},
    )
    made = with_portfolio(given)
    assert list(made.columns) == ["day", "workload", "cost"]
    assert rows(made.group_by("workload").agg(cost=made.cost.sum()), "workload", "cost") == [
        ("(portfolio)", 28),
        ("atlas", 10),
        ("borea", 7),
        (None, 11),
    ]

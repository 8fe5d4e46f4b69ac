"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from decimal import Decimal

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.trust import queries as trust_queries
from tests.support.world import Marts


def test_the_tie_out_of_a_month_is_the_sum_of_its_accounts(built: Marts, server: Flask) -> None:
    (may,) = (row for row in trust_queries.tie_out(View()) if row["month"] == "2025-05")
    assert (may["direct"], may["bill_total"], may["remainder"]) == (5250, 5250, 0)
    assert (may["unheld"], may["sources"]) == (0, ["self_check"])
    assert trust_queries.untagged_share() == {"untagged": None, "cost": Decimal(7270)}

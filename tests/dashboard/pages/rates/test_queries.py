"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from decimal import Decimal

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.rates import queries as rates_queries


def test_rates_are_cost_over_hours_beside_list_over_the_same_hours(server: Flask) -> None:
    rows = {(row["platform"], str(row["period_start"])): row for row in rates_queries.rates(View())}
    gpu, trn = rows["p4d", "2025-05-01"], rows["trn1", "2025-09-01"]
    assert (gpu["hours"], gpu["cost"], gpu["list"]) == (1680, 5250, Decimal("6882.246"))
    assert (gpu["hardware"], trn["hardware"]) == ("gpu", "trainium")
    assert trn["hours"] == (Decimal("93.75") + 40) * 16
    assert trn["cost"] == Decimal(2020)
    (change,) = (r for r in rates_queries.list_price_changes(View()) if r["region"] == "us-east-1")
    assert (change["instance_type"], str(change["since"])) == ("p4d.24xlarge", "2025-06-01")
    assert (change["previous_usd_per_hour"], change["usd_per_hour"]) == (
        Decimal("32.7726"),
        Decimal("21.957642"),
    )
    (september,) = (row for row in rates_queries.coverage(View()) if row["month"] == "2025-09")
    assert (september["on_demand"], september["hours"]) == (trn["hours"], trn["hours"])

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.pages.workload.cost_breakdown import PARTS, dollars_table, split
from tests.support.dashboard.text import text

D = Decimal
SPENT: dict[str, Any] = {
    "hardware": "trainium",
    "trial": False,
    "cost": D("1000.00"),
    "idle": D("60"),
    "startup": D("20"),
    "repeated": D("40"),
    "accelerator": D("950"),
    "storage": D("30"),
    "network": D("20"),
    "other": D(0),
}


def test_the_parts_of_the_cost_add_up_to_it_exactly() -> None:
    thirds = SPENT | {"cost": D("1000.01"), "accelerator": D("950.01")}
    parts = split([thirds, SPENT | {"trial": True, "cost": D("7.77")}])
    assert sum(parts.values()) == D("1007.78")
    assert parts["validation"] == D("7.77")
    assert set(parts) == set(PARTS)


def test_where_each_dollar_went_is_told_for_both_sides() -> None:
    table = text(dollars_table([SPENT, SPENT | {"hardware": "gpu"}]))
    assert "Start-up, before the first progress 20.00 2.0 % 20.00 2.0 %" in table
    assert "Idle otherwise 40.00 4.0 % 40.00 4.0 %" in table
    assert "All runs 1,000.00 1,000.00" in table
    assert "Other" not in table


def test_what_ran_on_unknown_hardware_is_a_side_of_its_own() -> None:
    table = text(dollars_table([SPENT, SPENT | {"hardware": None, "cost": D("7.00")}]))
    assert "Unknown hardware, $" in table
    assert "All runs 0.00 1,000.00 7.00" in table
    assert "Unknown" not in text(dollars_table([SPENT, SPENT | {"hardware": None, "cost": D(0)}]))


def test_idle_clusters_stand_beside_the_runs_and_in_no_sum() -> None:
    table = text(dollars_table([SPENT, SPENT | {"hardware": "gpu"}], D("75.65")))
    assert table.endswith("All runs 1,000.00 1,000.00 Cluster idle – 75.65 beside the runs")
    assert "Cluster idle – unknown" in text(dollars_table([SPENT], None))
    assert "Cluster idle" not in text(dollars_table([SPENT], D(0)))

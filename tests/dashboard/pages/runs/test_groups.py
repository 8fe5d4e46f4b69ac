"""Runs by a dimension: work is told in its unit, and never added up over workloads."""

from __future__ import annotations

from decimal import Decimal

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.runs import controls, grid, groups
from dashboard.snapshot.runs import run_dimensions
from tests.support.dashboard.text import text

ROW = {
    "value": "ember-20b", "runs": 3, "cost": Decimal(600), "epochs": Decimal("132.14"),
    "idle": Decimal(0), "repeated": Decimal(0), "unsettled": Decimal(0), "unknown": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("workloads", "unit", "told"),
    [
        (1, "billion_tokens", "132.14 billions of tokens"),
        (1, "epoch", "132.14 epochs"),
        (1, None, None),
        (2, "epoch", None),
    ],
)
def test_work_is_in_its_unit_of_one_workload(
    server: Flask, workloads: int, unit: str | None, told: str | None
) -> None:
    row = ROW | {"workloads": workloads, "unit": unit}
    by = run_dimensions.known_dimensions()["workload"]
    drawn = text(groups.run_groups([row], by, View.parse({})))
    assert (told in drawn) if told else ("132.14" not in drawn)


def test_chosen_columns_follow_the_name_of_the_run(server: Flask) -> None:
    dims = run_dimensions.known_dimensions()
    shown = [column["field"] for column in grid.shown_columns(dims, ["unit", "cost"], "")]
    assert shown == ["run", "unit", "cost"]
    assert len(controls.column_names()) > len(shown)

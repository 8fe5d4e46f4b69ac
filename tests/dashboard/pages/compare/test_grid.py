"""Compare's grid: what its row of sums adds up, and what it does not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.address.view import View
from dashboard.pages.compare.grid import comparison_grid, table
from dashboard.snapshot.runs.compared_runs import axes
from dashboard.wording.dimensions import dimensions
from dashboard.wording.units import words

D = Decimal


@pytest.mark.parametrize(("unit", "work"), [("epoch", "165.00"), (None, None)])
def test_work_of_several_units_adds_up_to_nothing(unit: str | None, work: str | None) -> None:
    """90 billion tokens and 75 epochs are 165 of neither; their dollars add up to $34,350."""
    rows = [
        {"by": "tok", "then": None, "runs": 2, "epochs": D(90), "cost": D(18900), "hours": D(10)},
        {"by": "epo", "then": None, "runs": 2, "epochs": D(75), "cost": D(15450), "hours": D(20)},
    ]
    of = axes(View(by="workload"), dimensions(()))
    grid = vars(comparison_grid(rows, of, View(), "grid", words(unit)))
    (sums,) = grid["dashGridOptions"]["pinnedBottomRowData"]
    assert (sums["epochs"], sums["cost"], sums["hours"]) == (work, "34350.00", "30.0")
    assert (sums["by"], sums["runs"], sums["per_epoch"]) == ("All", None, None)


def test_a_group_of_several_units_has_neither_work_nor_a_price_of_a_unit() -> None:
    """10 epochs and 90 billion tokens for $6,000 are no 100 units of $60."""
    mixed = {"by": "mix", "then": "gpu", "runs": 2, "epochs": D(100), "cost": D(6000),
             "hours": D(10), "units": ["epoch", "billion_tokens"]}  # fmt: skip
    of = axes(View(by="workload", then="hardware"), dimensions(()))
    _, (row,) = table([mixed], of, View(), words(None))
    assert (row["epochs"], row["per_epoch"]) == (None, None)
    assert (row["cost"], row["per_hour"]) == ("6000.00", "600.0000")
    assert table([mixed], of, View(layout="pivot"), words(None))[1][0]["n0"] is None

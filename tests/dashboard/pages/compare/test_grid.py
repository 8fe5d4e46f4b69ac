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


def test_each_group_names_its_unit_where_they_differ() -> None:
    """Neither a heading nor a file of $677.45 and $679.98 says of which that is a price."""
    about = {"runs": 1, "epochs": D(1), "cost": D(5), "hours": D(1)}
    rows = [
        about | {"by": by, "then": then, "units": [unit]}
        for by, then, unit in (
            ("epo", "gpu", "epoch"),
            ("tok", "gpu", "billion_tokens"),
            ("mix", "gpu", "epoch"),
            ("mix", "trainium", "million_samples"),
        )
    ]
    of = axes(View(by="workload", then="hardware"), dimensions(()))
    columns, found = table(rows, of, View(), words(None))
    assert [column["field"] for column in columns][3:5] == ["epochs", "unit"]
    assert [row["unit"] for row in found][:2] == ["epochs", "billions of tokens"]
    columns, found = table(rows, of, View(layout="pivot"), words(None))
    assert [column["field"] for column in columns][:2] == ["by", "unit"]
    assert [row["unit"] for row in found] == ["epochs", "billions of tokens", "several units"]
    alike, _ = table(rows[:1], of, View(), words("epoch"))
    assert "unit" not in {column["field"] for column in alike}

"""METHOD §7: what became of closed months stands in the first open one, and nowhere else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import BESIDE, EXPLAINERS
from models.marts.months.monthly_summary import monthly_summary
from models.records.adjustment_amounts import KEYS, Amounts, changed_amounts, net
from tests.support.marts.mart_inputs import table

D = Decimal
MONTHS = ("2026-06", "2026-07", "2026-08", "2026-09", "2026-10")
FIRST, SECOND = CLOSED = ("2026-06", "2026-08")
TODAY = {
    (FIRST, "moved"): (D(100), D(10)),
    (SECOND, "moved"): (D(50), D(0)),
    (FIRST, "kept"): (D(7), D(4)),
    (SECOND, "kept"): (D(9), D(0)),
    (FIRST, "new"): (D(3), D(1)),
    (FIRST, "lost"): (None, D(0)),
    (SECOND, "lost"): (D(1), D(0)),
    (FIRST, "never"): (None, D(2)),
    (FIRST, "found"): (D(9), D(2)),
    (FIRST, "unpriced"): (D(9), None),
    (FIRST, "priced"): (D(9), D(2)),
}
"""Net saving and investment of closed months as they are computed today."""
TOLD = {
    (FIRST, "moved"): (D(85), D(5)),
    (SECOND, "moved"): (D(45), D(0)),
    (FIRST, "kept"): (D(7), D(4)),
    (SECOND, "kept"): (D(9), D(0)),
    (FIRST, "gone"): (D(10), D(3)),
    (FIRST, "renamed"): (D(20), D(6)),
    (FIRST, "lost"): (D(5), D(0)),
    (SECOND, "lost"): (D(0), D(0)),
    (FIRST, "never"): (None, D(1)),
    (FIRST, "found"): (None, D(2)),
    (FIRST, "unpriced"): (D(9), None),
    (FIRST, "priced"): (D(9), None),
}
"""What finance was told of them."""


def adjustments_due() -> list[dict[str, Any]]:
    """What today's figures come to beyond what was told, by workload."""
    found = [
        dict(zip(KEYS, movement.key, strict=True)) | {"amount": movement.amount}
        for month in CLOSED
        for movement in changed_amounts(amounts(TOLD, month), {}, amounts(TODAY, month))
    ]
    workloads = sorted({row["workload"] for row in found})
    return [{"workload": name, "adjustments": net(found, name)} for name in workloads]


def amounts(
    figures: dict[tuple[str, str], tuple[Decimal | None, Decimal | None]], month: str
) -> Amounts:
    """A month's figures by what they measure."""
    return {
        ("workload", workload, None, None, None, measure): amount
        for (of, workload), pair in figures.items()
        if of == month
        for measure, amount in zip(("net_saving", "investment"), pair, strict=True)
    }


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict[str, Any]]:
    """June and August were closed; July in between is still open."""
    workloads = sorted({workload for _, workload in (*TODAY, *TOLD)} - {"renamed"} | {"young"})
    facts = [
        {"month": month, "workload": workload, "net_saving": D(1000), "investment": D(0)}
        for month in MONTHS
        if month not in CLOSED
        for workload in workloads
    ]
    facts += [
        {"month": month, "workload": workload, "net_saving": net, "investment": spent}
        for (month, workload), (net, spent) in TODAY.items()
    ]
    closed = [
        {"month": month, "workload": "moved", "net_saving": D(88), "adjustments": D(4)}
        for month in CLOSED
    ]
    summary = monthly_summary(
        table(EXPLAINERS["month_facts"], facts),
        table(BESIDE["closed_months"], closed),
        table(BESIDE["adjustments_due"], adjustments_due()),
    )
    found = summary.to_pyarrow().to_pylist()
    assert len(found) == len({(row["month"], row["workload"]) for row in found})
    return {(row["month"], row["workload"]): row for row in found}


def test_a_closed_month_stands_as_it_was_closed(rows: dict[Any, dict[str, Any]]) -> None:
    closed = {key: row for key, row in rows.items() if key[0] in CLOSED}
    assert sorted(closed) == [(FIRST, "moved"), (SECOND, "moved")]
    assert {(row["net_saving"], row["adjustments"]) for row in closed.values()} == {(88, 4)}


def test_what_changed_since_stands_in_the_first_month_after(
    rows: dict[Any, dict[str, Any]],
) -> None:
    """+15 − 5 and +5; what is no longer billed is taken back, what was unknown counts in full."""
    assert {w: row["adjustments"] for (m, w), row in rows.items() if m == "2026-09"} == {
        "moved": 15,
        "kept": 0,
        "gone": -7,
        "renamed": -14,
        "new": 2,
        "lost": None,
        "never": -1,
        "found": 9,
        "unpriced": None,
        "priced": -2,
        "young": 0,
    }
    others = {row["adjustments"] for (m, _), row in rows.items() if m in ("2026-07", "2026-10")}
    assert others == {0}
    assert rows["2026-09", "moved"]["net_saving"] == 1000


def test_of_a_workload_that_only_a_closed_month_has_adjustments_alone_are_left(
    rows: dict[Any, dict[str, Any]],
) -> None:
    """Its charges have another name now; what it was said to have saved is taken back."""
    (row,) = (row for (_, workload), row in rows.items() if workload == "renamed")
    left = {name: value for name, value in row.items() if value not in (None, 0)}
    assert left == {
        "month": "2026-09",
        "workload": "renamed",
        "unit": "epoch",
        "adjustments": -14,
    }
    assert (row["net_saving"], row["cumulative_net"], row["status"]) == (0, 0, None)

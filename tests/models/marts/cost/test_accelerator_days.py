"""Accelerator hours and idle commitment, summed by day for pages."""

from __future__ import annotations

from decimal import Decimal

from models.marts.cost.accelerator_days import accelerator_days
from tests.support.marts.hand_written_tables import rows, table
from tests.support.marts.spend_rows import SPEND, spent


def test_accelerators_and_idle_commitment_are_summed_without_their_owners() -> None:
    other = {"instance_type": None, "platform": None, "component": "other"}
    bill = table(
        SPEND,
        spent("0.5", 10),
        spent("0.25", 6, run="b", contracted_cost=None),
        spent(4, 5, list_cost=None),
        spent(-4, -5),
        spent(0, 1, run="c"),
        spent(16, 7, run=None, attribution="untagged"),
        spent(None, 20, run=None, attribution="idle_commitment", **other),
        spent(None, 40, component="storage"),
        spent(None, 80, **other),
    )
    found = accelerator_days(bill)
    names = ("attribution", "component", "worked", "listed", "accelerator_hours")
    assert rows(found, *names, "effective_cost", "contracted_cost") == [
        ("direct", "accelerator", False, True, -4, -4, -4),
        ("direct", "accelerator", True, False, 4, 5, 5),
        ("direct", "accelerator", True, True, Decimal("0.75"), 16, None),
        ("idle_commitment", "other", False, True, None, 20, 20),
        ("untagged", "accelerator", True, True, 16, 7, 7),
    ]

"""Divides the cost of a compared group by its epochs or its accelerator-hours. METHOD §4.

A group's ratio is Σ cost ÷ Σ epochs, never the mean of its runs' ratios: runs of $100 for 1 epoch
and $100 for 9 epochs cost $20 per epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from models.contract.units import shared

Row = dict[str, Any]


def per_epoch(row: Row) -> Decimal | None:
    """Divides a group's cost by its epochs; None where either is unknown or there are none.

    Work of several units adds up to nothing, and has no price either.
    """
    return None if several_units(row) else _ratio(row["cost"], row["epochs"])


def several_units(*rows: Row) -> bool:
    """Returns whether the runs of the given groups count their work in several units."""
    return shared(unit for row in rows for unit in row.get("units") or ()) is None


def by_unit(rows: Sequence[Row]) -> dict[str | None, list[Row]]:
    """Maps each unit of work to the groups that use it; None to those whose runs use several.

    Costs per unit do not compare between different units.
    """
    found: dict[str | None, list[Row]] = {}
    for row in rows:
        found.setdefault(shared(row["units"]), []).append(row)
    return found


def per_hour(row: Row) -> Decimal | None:
    """Divides a group's cost by its accelerator-hours; None if either is unknown or hours are 0."""
    return _ratio(row["cost"], row["hours"])


def _ratio(cost: Decimal | None, of: Decimal | None) -> Decimal | None:
    return cost / of if cost is not None and of else None

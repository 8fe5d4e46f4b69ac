"""Cost per epoch by one or two dimensions: the statements, and what follows from their rows.

A run counts as in `cost_per_epoch`: production and baseline runs, and those on Trainium that were
for nobody knows what, whose lineage has accelerator-hours on the bill at a known cost (METHOD §4).
Σ cost ÷ Σ epochs, never a mean of ratios. Where the charges of one run differ in a dimension, cost
stands where it was charged and the run's epochs are split by accelerator-hours, the residue going
to the largest part.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

Row = dict[str, Any]


def per_epoch(row: Row) -> Decimal | None:
    """Cost ÷ epochs; unknown without either."""
    return _ratio(row["cost"], row["epochs"])


def per_hour(row: Row) -> Decimal | None:
    """Cost ÷ accelerator-hours; unknown without either."""
    return _ratio(row["cost"], row["hours"])


def _ratio(cost: Decimal | None, of: Decimal | None) -> Decimal | None:
    return cost / of if cost is not None and of else None

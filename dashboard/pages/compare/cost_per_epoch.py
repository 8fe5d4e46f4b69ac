"""Divides the cost of a compared group by its epochs or its accelerator-hours. METHOD §4.

A group's ratio is Σ cost ÷ Σ epochs, never the mean of its runs' ratios: runs of $100 for 1 epoch
and $100 for 9 epochs cost $20 per epoch.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

Row = dict[str, Any]


def per_epoch(row: Row) -> Decimal | None:
    """Returns cost ÷ epochs; None where either is unknown or there are no epochs."""
    return _ratio(row["cost"], row["epochs"])


def per_hour(row: Row) -> Decimal | None:
    """Returns cost ÷ accelerator-hours; None where either is unknown or there are no hours."""
    return _ratio(row["cost"], row["hours"])


def _ratio(cost: Decimal | None, of: Decimal | None) -> Decimal | None:
    return cost / of if cost is not None and of else None

"""What runs cost and brought, in one sentence."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.wording.format import count, dollars, number

Row = dict[str, Any]


def runs_sentence(totals: Row) -> str:
    """Cost, what it brought, and what of the cost made no progress."""
    if not totals["runs"]:
        return "No run meets these filters."
    who = f"{count(totals['runs'], 'run')} of {count(totals['workloads'], 'workload')}"
    if totals["cost"] is None:
        return f"{who}: what they cost is unknown."
    lost = (totals["idle"] or Decimal(0)) + (totals["repeated"] or Decimal(0))
    told = f"{who} cost {dollars(totals['cost'])}{_brought(totals)}"
    waste = f"; {dollars(lost)} of it went into idle days and repeated work" if lost else ""
    unknown = (
        f" {count(totals['unknown'], 'run')} without a known cost." if totals["unknown"] else ""
    )
    return f"{told}{waste}.{unknown}"


def _brought(totals: Row) -> str:
    """Epochs of different workloads are different work: their sum says nothing."""
    return f" and made {number(totals['epochs'])} epochs" if totals["workloads"] == 1 else ""

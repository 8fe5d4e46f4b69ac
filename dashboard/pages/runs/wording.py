"""Says in one sentence what runs cost and how much work they did."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.wording.format import count, dollars, number

Row = dict[str, Any]


def runs_sentence(totals: Row) -> str:
    """Says in one sentence what runs cost, what work they did, and what made no progress."""
    if not totals["runs"]:
        return "No run meets these filters."
    who = f"{count(totals['runs'], 'run')} of {count(totals['workloads'], 'workload')}"
    if totals["cost"] is None:
        return f"{who}: what they cost is unknown."
    lost = (totals["idle"] or Decimal(0)) + (totals["repeated"] or Decimal(0))
    text = f"{who} cost {dollars(totals['cost'])}{_epochs_made(totals)}"
    waste = f"; {dollars(lost)} of it went into idle days and repeated work" if lost else ""
    unknown = (
        f" {count(totals['unknown'], 'run')} without a known cost." if totals["unknown"] else ""
    )
    return f"{text}{waste}.{unknown}"


def _epochs_made(totals: Row) -> str:
    """Says how many epochs runs made; empty for several workloads, whose epochs differ."""
    return f" and made {number(totals['epochs'])} epochs" if totals["workloads"] == 1 else ""

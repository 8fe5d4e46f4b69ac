"""Says in one sentence what runs cost and how much work they did."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.wording.format import count, dollars, number
from dashboard.wording.units import words

Row = dict[str, Any]
FEW = 10
"""Below so many units of work, parts of one are shown."""


def runs_sentence(totals: Row) -> str:
    """Says in one sentence what runs cost, what work they did, and what made no progress."""
    if not totals["runs"]:
        return "No run meets these filters."
    who = f"{count(totals['runs'], 'run')} of {count(totals['workloads'], 'workload')}"
    if totals["cost"] is None:
        return f"{who}: what they cost is unknown."
    lost = (totals["idle"] or Decimal(0)) + (totals["repeated"] or Decimal(0))
    text = f"{who} cost {dollars(totals['cost'])}{_work_done(totals)}"
    into = "of it went into time without progress and repeated work"
    waste = f"; {dollars(lost)} {into}" if lost else ""
    unknown = (
        f" {count(totals['unknown'], 'run')} without a known cost." if totals["unknown"] else ""
    )
    return f"{text}{waste}.{unknown}"


def _work_done(totals: Row) -> str:
    """Says how much work runs did, in its unit; empty for several workloads or units.

    Their epochs differ.
    """
    if totals["workloads"] > 1 or totals["unit"] is None:
        return ""
    work: Decimal = totals["epochs"]
    places = 0 if work >= FEW or work == int(work) else 2
    return f" and made {number(work, places)} {words(totals['unit']).many}"

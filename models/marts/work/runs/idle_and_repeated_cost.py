"""Computes a run's cost on days without progress, and of repeated work (METHOD §4.3).

Start-up is the part of the former that accelerators cost before the day of the first progress: on
Trainium mostly compilation. The bill is read by day, so the hours of that day are not in it.

Example: a run cost $1,000, of which $200 on days without progress. It made 9 epochs and repeated 1
after a restart: idle cost $200, repeated cost ($1,000 − $200) × 1 ÷ (9 + 1) = $80.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, product, ratio


def is_idle(days: ir.Table) -> ir.BooleanValue:
    """Whether a run's day is settled and has neither new nor repeated work."""
    return days.settled & (days.epochs == 0) & (days.repeated_epochs == 0)


def with_start(days: ir.Table) -> ir.Table:
    """Adds `starts`: the day is before the run's first progress; null if it never made any."""
    moved = (days.epochs > 0) | (days.repeated_epochs > 0) | (days.unbilled_epochs > 0)
    begun = days.date.min(where=moved).over(ibis.window(group_by=["workload", "run"]))
    return days.mutate(starts=days.date < begun)


def startup_cost(days: ir.Table) -> ir.Value:
    """Sums the cost of accelerators before a run's first progress; null without progress."""
    idle = days.starts.fill_null(False) & is_idle(days)
    cost = known_sum(ibis.ifelse(idle, days.accelerator_cost, ZERO))
    return ibis.ifelse(days.starts.notnull().any(), cost, None)


def repeated_cost(runs: ir.Table) -> ir.Value:
    """Returns the cost of a run's repeated epochs; null without epochs or a known cost."""
    worked = runs.epochs + runs.repeated_epochs
    return ratio(product(runs.cost - runs.idle_cost, runs.repeated_epochs), worked)

"""What a run cost without progress, and what work done again cost (METHOD §4.3).

Example: a run cost $1,000, of which $200 on days without progress. It made 9 epochs and repeated 1
after a restart: idle cost $200, repeated cost ($1,000 − $200) × 1 ÷ (9 + 1) = $80.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.money import product, ratio


def is_idle(days: ir.Table) -> ir.BooleanValue:
    """Whether a run's day is settled and saw no progress, not even repeated work."""
    return days.settled & (days.epochs == 0) & (days.repeated_epochs == 0)


def repeated_cost(runs: ir.Table) -> ir.Value:
    """Returns the dollars of epochs that a run did again; null without epochs or a known cost."""
    worked = runs.epochs + runs.repeated_epochs
    return ratio(product(runs.cost - runs.idle_cost, runs.repeated_epochs), worked)

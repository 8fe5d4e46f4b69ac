"""Sorts shared machines' time: held by jobs, known or not, by nobody, or not delivered."""

from __future__ import annotations

import ibis.expr.types as ir

from models.marts.cost.attribution_buckets import HELD


def who_held(pool_days: ir.Table) -> dict[str, ir.BooleanValue]:
    """Returns conditions for machine time: held, unknown, idle, undelivered; one holds per row.

    A day without allocations is `undelivered`, never `idle`: a scheduler that does not tell is no
    idle machine (METHOD §2.10).
    """
    held = pool_days.holding.isin(HELD)
    return {
        "held": pool_days.holding == HELD[0],
        "unknown": pool_days.holding == HELD[1],
        "idle": ~held & pool_days.delivered,
        "undelivered": ~held & ~pool_days.delivered,
    }

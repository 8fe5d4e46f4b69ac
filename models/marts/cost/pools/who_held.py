"""Sorts shared machines' time: held by known or unknown jobs, idle, or allocations missing."""

from __future__ import annotations

import ibis.expr.types as ir

from models.marts.cost.attribution_buckets import HELD


def who_held(pool_days: ir.Table) -> dict[str, ir.BooleanValue]:
    """Maps held, unknown, idle, undelivered to conditions on machine time; each row meets one.

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

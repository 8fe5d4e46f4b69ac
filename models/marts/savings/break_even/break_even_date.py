"""The break-even date: from when on the net saving so far has paid for the investment so far."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.joins import left_join


def paid_back_since(rows: ir.Table, cutovers: ir.Table) -> ir.Table:
    """The first settled day, not before cutover, from which `cumulative_net` stays at 0 or above.

    `rows`: the settled days of each workload up to each `cutoff`. Returns `since` per workload and
    cutoff; no row where the last day is below zero or nothing was invested (METHOD §6).
    """
    paid = left_join(rows, cutovers, ["workload"])
    below = paid.group_by("workload", "cutoff").agg(
        last_below=paid.date.max(where=paid.cumulative_net < 0)
    )
    after = left_join(paid, below, ["workload", "cutoff"])
    after = after.filter(
        (after.cumulative_investment > 0)
        & (after.date >= after.cutover)
        & (after.last_below.isnull() | (after.date > after.last_below))
    )
    return after.group_by("workload", "cutoff").agg(since=after.date.min())

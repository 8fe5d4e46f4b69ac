"""Finds the break-even date: when total net saving covered total investment for good."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.joins import left_join


def paid_back_since(rows: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Finds since which settled day net saving covers investment, by workload and month's end.

    The day is never before the cutover. `rows` holds the settled days of each workload up to each
    `cutoff`. Returns `since` per workload and cutoff; there is no row where the last day is below
    zero or nothing was invested (METHOD §6.4).
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

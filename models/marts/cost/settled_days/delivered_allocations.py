"""Says of rows of a cluster whether its allocations of that day are delivered (METHOD §1.1)."""

from __future__ import annotations

import ibis.expr.types as ir


def with_delivered(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `delivered` to rows with `date` and `cluster`: true of no cluster, else if in full."""
    full = allocation_days.filter(allocation_days.complete)
    full = full.select(of_cluster="cluster", of_day="day").distinct()
    joined = rows.left_join(full, [rows.cluster == full.of_cluster, rows.date == full.of_day])
    known = joined.of_day.notnull() | joined.cluster.isnull()
    return joined.select(*rows.columns, delivered=known)

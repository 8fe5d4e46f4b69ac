"""Adds to a cluster's rows whether its allocations of that day are delivered (METHOD §1.1)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def with_delivered(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `delivered`: whether allocations of the row's cluster and day were delivered in full.

    It is true of no cluster, and of one whose jobs the bill itself tells: pods.
    """
    full = allocation_days.filter(allocation_days.complete)
    full = full.select(of_cluster="cluster", of_day="day").distinct()
    told = allocation_days.select(told="cluster").distinct()
    joined = rows.left_join(full, [rows.cluster == full.of_cluster, rows.date == full.of_day])
    joined = joined.left_join(told, joined.cluster == told.told)
    known = joined.of_day.notnull() | joined.told.isnull()
    return joined.select(*rows.columns, delivered=ibis.coalesce(known, False))

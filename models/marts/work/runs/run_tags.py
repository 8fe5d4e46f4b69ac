"""Finds the tags of most of a run's accelerator-hours (METHOD §4.4)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO


def most_tagged(spend: ir.Table, tag: str) -> ir.Table:
    """Returns, per run, the value of one tag on most of its accelerator-hours."""
    rows = spend.filter(spend[tag].notnull())
    each = rows.group_by("workload", "run", tag).agg(
        hours=ibis.coalesce(rows.accelerator_hours.sum(), ZERO)
    )
    order = ibis.window(group_by=["workload", "run"], order_by=[ibis.desc(each.hours), each[tag]])
    ranked = each.mutate(place=ibis.row_number().over(order))
    return ranked.filter(ranked.place == 0).select("workload", "run", tag)

"""The month as finance reads it.

Grain: month × workload, and `(portfolio)`. Closed months stand as they were closed; what has become
of them since is `adjustments` of the first month after the last closed one: net saving less
investment, as it is computed today, less what finance was told (METHOD §7). Null where that cannot
be known; 0 while nothing was closed. The rest is that of `month_facts`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import ZERO, known_sum, money, zero_if_null
from models.schema import MARTS

KEYS = ["month", "workload"]


def monthly_summary(
    month_facts: ir.Table, closed_months: ir.Table, recognised: ir.Table
) -> ir.Table:
    """The mart of that name."""
    closed = closed_months.select("month").distinct()
    standing = month_facts.anti_join(closed, "month")
    last = closed_months.agg(last=closed_months.month.max())
    later = standing.cross_join(last).filter(lambda row: row.month > row.last)
    first = later.agg(month=later.month.min())
    moved = _moved(month_facts.semi_join(closed, "month"), recognised)
    moved = moved.cross_join(first)
    rows = standing.left_join(moved, KEYS).select(standing, moved="adjustments", told="changes")
    rows = rows.mutate(adjustments=money(ibis.ifelse(rows.told.isnull(), ZERO, rows.moved)))
    columns = list(MARTS["monthly_summary"])
    return rows.select(columns).union(closed_months.select(columns))


def _moved(closed: ir.Table, recognised: ir.Table) -> ir.Table:
    """Per workload what closed months would be today, less what was told of them."""
    told = recognised.rename(told_month="month", told_workload="workload")
    now = closed.select(*KEYS, now=money(closed.net_saving - closed.investment), stands=True)
    keys = now.select(KEYS).union(recognised.select(KEYS), distinct=True)
    rows = keys.left_join(now, KEYS).select(keys, "now", "stands")
    same = [rows.month == told.told_month, rows.workload == told.told_workload]
    rows = rows.left_join(told, same).select(rows, "net")
    today = ibis.ifelse(rows.stands.isnull(), ZERO, rows.now)
    change = ibis.ifelse(today.isnull() & rows.net.isnull(), ZERO, today - zero_if_null(rows.net))
    return rows.group_by("workload").agg(adjustments=known_sum(change), changes=rows.count())

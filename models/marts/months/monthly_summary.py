"""The month as finance reads it.

Grain: month × workload, and `(portfolio)`. Closed months stand as they were closed; what has become
of them since is `adjustments` of the first month after the last closed one: net saving less
investment, as it is computed today, less what finance was told (METHOD §7); 0 while nothing was
closed. What was unknown at the close and is known since is adjusted in full. Null where today's is
unknown, and so the cumulative net; but a saving that is unknown as it was then was never claimed:
it adjusts nothing. The rest is that of `month_facts`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.schema import MARTS

KEYS = ["month", "workload"]
MEASURES = ("net_saving", "investment")


def monthly_summary(
    month_facts: ir.Table, closed_months: ir.Table, recognised: ir.Table
) -> ir.Table:
    """The mart of that name."""
    standing = month_facts.anti_join(closed_months, "month")
    last = closed_months.agg(last=closed_months.month.max())
    later = standing.cross_join(last).filter(lambda row: row.month > row.last)
    first = later.agg(month=later.month.min())
    moved = _moved(month_facts.semi_join(closed_months, "month"), recognised)
    moved = moved.cross_join(first)
    rows = standing.left_join(moved, KEYS).select(standing, moved="adjustments", told="changes")
    rows = rows.mutate(adjustments=ibis.ifelse(rows.told, rows.moved, ZERO))
    columns = list(MARTS["monthly_summary"])
    return rows.select(columns).union(closed_months.select(columns))


def _moved(closed: ir.Table, recognised: ir.Table) -> ir.Table:
    """Per workload what closed months would be today, less what was told of them."""
    told = recognised.rename({f"told_{name}": name for name in MEASURES}).mutate(told=True)
    now = closed.select(*KEYS, *MEASURES, stands=True)
    keys = now.select(KEYS).union(recognised.select(KEYS), distinct=True)
    rows = left_join(left_join(keys, now, KEYS), told, KEYS)
    (saved, claimed), (spent, known) = (_now_and_then(rows, name) for name in MEASURES)
    saving = ibis.ifelse(saved.isnull() & claimed.isnull(), ZERO, saved - zero_if_null(claimed))
    change = saving - (spent - zero_if_null(known))
    return rows.group_by("workload").agg(adjustments=known_sum(change), changes=ibis.literal(True))


def _now_and_then(rows: ir.Table, name: str) -> tuple[ir.Value, ir.Value]:
    """A figure as computed today and as it was told; 0 where there is, or was, no such row."""
    now = ibis.ifelse(rows.stands, rows[name], ZERO)
    return now, ibis.ifelse(rows.told, rows[f"told_{name}"], ZERO)

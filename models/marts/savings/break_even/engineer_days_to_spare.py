"""Computes by how many engineer-days the move could have cost more (METHOD §6.4)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ratio


def headroom_days(rows: ir.Table) -> ir.Value:
    """Returns the column of engineer-days that cumulative net would still pay; null if below 0."""
    days = ratio(rows.cumulative_net, rows.day_rate).floor()
    return ibis.ifelse(rows.cumulative_net >= 0, days, None).cast("int64")


def day_rates(workloads: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Lists each workload's newest engineering day rate, else the newest that names no workload.

    Of several rates of one day it is the highest.
    """
    entries = config_investments.filter(config_investments.day_rate > 0)
    own = entries.group_by("workload").agg(own=_newest(entries))
    loose = entries.filter(entries.workload.isnull())
    common = loose.agg(common=_newest(loose))
    rows = left_join(workloads.select("workload"), own, ["workload"]).cross_join(common)
    return rows.select("workload", day_rate=ibis.coalesce(rows.own, rows.common))


def _newest(entries: ir.Table) -> ir.Value:
    """Returns the day rate of the newest entry; of several on one day the highest."""
    return entries.day_rate.first(order_by=[ibis.desc(entries.date), ibis.desc(entries.day_rate)])

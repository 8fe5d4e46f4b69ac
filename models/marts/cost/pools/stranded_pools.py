"""Computes what a move left idle of a GPU pool, which is a cost of moving (METHOD §2.10.6).

For twelve months from the first cutover of a workload that held the pool, what stands idle on a day
beyond the daily average of the three whole months before. It falls on those who held the pool in
these months and had moved by that day, by the accelerator-hours that they held then. Example: a
pool stood idle for $9 a day in the three months before and for $40 on a day after: $31. Where the
cost of an idle hour of these months is unknown, so is what lies beyond the average.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, allocated, known_sum, ratio

POOL = ["cluster", "cluster_place", "instance_type"]
MONTHS_BEFORE, MONTHS_AFTER = 3, 12


def stranded_pools(
    idle: ir.Table, held: ir.Table, pool_days: ir.Table, cutovers: ir.Table
) -> ir.Table:
    """Computes by day, pool and workload the dollars of GPU pools that moves left idle."""
    pools = _pools(held, pool_days, cutovers)
    rows = idle.join(pools, POOL)
    whole = (rows.date >= rows.since) & (rows.date < rows.until)
    inside = rows.filter(whole)
    before = inside.group_by(POOL).agg(before=known_sum(inside.amount), idle_before=True)
    after = rows.filter((rows.date >= rows["first"]) & (rows.date < rows["end"]))
    after = left_join(after, before, POOL)
    days = after.until.epoch_days() - after.since.epoch_days()
    none = (days <= 0) | after.idle_before.isnull()
    usual = ibis.ifelse(none, ZERO, ratio(after.before, days.cast("int64")))
    after = after.mutate(amount=after.amount - usual)
    after = after.filter((after.amount > 0).fill_null(True))
    bearers = after.join(_holders(held, pools), POOL)
    bearers = bearers.join(cutovers, "workload")
    bearers = bearers.filter(bearers.cutover <= bearers.date)
    return allocated(
        bearers, ["amount"], weight="hours", within=["date", *POOL], owner="workload"
    ).select("date", *POOL, "workload", "amount")


def _pools(held: ir.Table, pool_days: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Lists GPU pools of workloads that moved, with the whole months before and the year after.

    `since` to `until` are those of the three months before the cutover's in which the pool ran from
    the first day; empty where it did in none.
    """
    moved = held.join(cutovers, "workload")
    pools = moved.group_by(POOL).agg(first=moved.cutover.min())
    began = pool_days.group_by(POOL).agg(began=pool_days.date.min())
    pools = left_join(pools, began, POOL)
    until = _month(pools["first"])
    earliest = (until - ibis.interval(months=MONTHS_BEFORE)).cast("timestamp").date()
    starts = _month(pools.began)
    following = (starts + ibis.interval(months=1)).cast("timestamp").date()
    whole = ibis.ifelse(pools.began == starts, starts, following)
    return pools.select(
        *POOL, "first", "began", until=until,
        since=ibis.least(ibis.greatest(earliest, whole), until),
        end=(pools["first"] + ibis.interval(months=MONTHS_AFTER)).cast("timestamp").date(),
    )  # fmt: skip


def _holders(held: ir.Table, pools: ir.Table) -> ir.Table:
    """Sums workloads' pool hours in whole months before the move; if none, all days before it."""
    rows = held.join(pools, POOL)
    none = rows.since >= rows.until
    inside = ibis.ifelse(
        none, rows.date < rows["first"], (rows.date >= rows.since) & (rows.date < rows.until)
    )
    rows = rows.filter(inside)
    sums = rows.group_by(*POOL, "workload").agg(hours=rows.accelerator_hours.sum())
    return sums.filter(sums.hours > 0)


def _month(day: ir.Value) -> ir.Value:
    return day.truncate("M").cast("timestamp").date()

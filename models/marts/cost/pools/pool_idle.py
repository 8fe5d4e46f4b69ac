"""Divides the cost of a pool's idle machines among workloads that bear it (METHOD §2.10.6).

Idle of a Trainium pool is overhead of the workloads that held the pool in production that month and
had moved by that day, by accelerator-hours held. Where there is none, it is an investment of the
workloads that held it that month; else the portfolio's overhead. Idle of a GPU pool is in no
baseline; what it exceeds the usual after the move is an investment (`stranded_pools`).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import allocated, known_sum
from models.contract.rules.known_cost import known_cost
from models.contract.rules.work.purposes import SIDE_PURPOSES
from models.marts.cost.attribution_buckets import HELD
from models.marts.cost.pools.stranded_pools import stranded_pools

POOL = ["cluster", "cluster_place", "instance_type"]
SHARE = ["date", *POOL, "workload"]
OVERHEAD, BEFORE, STRANDED = "overhead", "pool_before_cutover", "stranded_cluster"


@step(
    grain="date × pool × workload × kind (overhead, pool_before_cutover, stranded_cluster); "
    "settled days",
    units="dollars on `cost.basis`",
    nulls="workload: the portfolio; amount: a cost is unknown",
    method="§2.10",
    whose="workload",
)
def pool_shares(
    pool_days: ir.Table, run_registry: ir.Table, cutovers: ir.Table, settings: Settings
) -> ir.Table:
    """Splits Trainium pools' idle cost, and what moves left idle of GPU pools, by day and workload.

    As overhead or as investment (`kind`); idle of a Trainium pool that no workload held stays with
    the portfolio.
    """
    rows = pool_days.filter(pool_days.settled)
    rows = rows.mutate(month=rows.date.truncate("M"), cost=known_cost(rows, settings.cost.basis))
    held = _held(rows, run_registry)
    idle = rows.filter(~rows.holding.isin(HELD))
    idle = idle.group_by("date", "month", *POOL, "hardware").agg(amount=known_sum(idle.cost))
    parts = _of_trainium(idle.filter(idle.hardware == "trainium"), held, cutovers)
    on_gpu = idle.filter(idle.hardware == "gpu")
    stranded = stranded_pools(on_gpu, held.filter(held.hardware == "gpu"), rows, cutovers)
    return parts.union(
        stranded.select(*SHARE, kind=ibis.literal(STRANDED), amount="amount").select(parts.columns)
    )


@step(
    grain="date × workload × kind (overhead, pool_before_cutover, stranded_cluster); settled days",
    units="dollars on `cost.basis`",
    nulls="workload: the portfolio; amount: a cost is unknown",
    method="§2.10",
    whose="workload",
)
def pool_idle(pool_shares: ir.Table) -> ir.Table:
    """Sums idle pool cost borne by each workload and the portfolio, by day and kind of cost."""
    return pool_shares.group_by("date", "workload", "kind").agg(
        amount=known_sum(pool_shares.amount)
    )


def _held(rows: ir.Table, run_registry: ir.Table) -> ir.Table:
    """Selects what known workloads held of pools, and adds whether it was for production."""
    held = rows.filter(rows.holding.isin(HELD) & rows.workload.notnull())
    purposes = run_registry.select("workload", "run", "purpose")
    held = left_join(held, purposes, ["workload", "run"])
    production = ~held.purpose.fill_null("production").isin(SIDE_PURPOSES)
    return held.mutate(production=production)


def _of_trainium(idle: ir.Table, held: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Divides Trainium pools' idle cost: overhead after a workload's cutover, else investment."""
    monthly = held.group_by("month", *POOL, "workload").agg(
        production_hours=held.accelerator_hours.sum(where=held.production),
        hours=held.accelerator_hours.sum(),
    )
    holders = idle.join(monthly, ["month", *POOL])
    moved = left_join(holders, cutovers, ["workload"])
    moved = moved.filter((moved.cutover <= moved.date) & (moved.production_hours > 0))
    overhead = _divided(moved.drop("hours").rename(hours="production_hours"), OVERHEAD)
    alone = idle.anti_join(moved, ["date", *POOL])
    known = holders.filter(holders.hours > 0).semi_join(alone, ["date", *POOL])
    before = _divided(known, BEFORE)
    nobody = alone.anti_join(known, ["date", *POOL]).mutate(workload=ibis.null("string"))
    nobody = nobody.mutate(kind=ibis.literal(OVERHEAD))
    columns = [*SHARE, "kind", "amount"]
    return ibis.union(*(table.select(columns) for table in (overhead, before, nobody)))


def _divided(rows: ir.Table, kind: str) -> ir.Table:
    """Divides each day's idle cost of a pool among workloads, by accelerator-hours held."""
    split = allocated(rows, ["amount"], weight="hours", within=["date", *POOL], owner="workload")
    return split.select(*SHARE, "amount", kind=ibis.literal(kind))

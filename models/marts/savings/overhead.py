"""Sums a workload's overhead: non-GPU cost outside runs, idle Trainium, upkeep (METHOD §6.1)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.rules.known_cost import known_cost

KEYS = ["date", "workload"]


def overhead(
    spend_daily: ir.Table,
    commitments: ir.Table,
    upkeep_daily: ir.Table,
    pool_idle: ir.Table,
    workload_state: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Sums workloads' daily overhead: non-GPU cost of no run since cutover, idle Trainium, upkeep.

    Idle are commitments that covered its Trainium hours, and its part of Trainium pools
    (`cluster_idle`); the config states `upkeep`.
    """
    none = {"upkeep": ZERO, "cluster_idle": ZERO}
    own = own_overhead(spend_daily, workload_state, settings).select(*KEYS, "amount", **none)
    idle = commitments.filter(commitments.kind == "trainium").select(*KEYS, "amount", **none)
    pools = pool_idle.filter((pool_idle.kind == "overhead") & pool_idle.workload.notnull())
    pools = pools.select(*KEYS, "amount", upkeep=ZERO, cluster_idle="amount")
    of_workloads = upkeep_daily.filter(upkeep_daily.workload.notnull())
    of_workloads = of_workloads.select(*KEYS, amount="upkeep", upkeep="upkeep", cluster_idle=ZERO)
    every = own.union(idle, pools, of_workloads)
    return every.group_by(KEYS).agg(
        overhead=known_sum(every.amount),
        upkeep=every.upkeep.sum(),
        cluster_idle=known_sum(every.cluster_idle),
        burdened=ibis.literal(True),
    )


def own_overhead(spend_daily: ir.Table, moves: ir.Table, settings: Settings) -> ir.Table:
    """Lists workloads' daily non-GPU cost that belongs to no run, since their move to Trainium."""
    spent = spend_daily.filter(spend_daily.attribution == "overhead")
    since = left_join(spent, moves.select("workload", "cutover"), ["workload"])
    on_gpu = (since.hardware == "gpu").fill_null(False)
    own = since.filter((since.date >= since.cutover) & ~on_gpu)
    return own.select(*KEYS, amount=known_cost(own, settings.cost.basis))

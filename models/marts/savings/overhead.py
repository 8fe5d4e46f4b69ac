"""What a workload's Trainium use cost besides its runs (METHOD §6.1)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import known_sum
from models.contract.rules.known_cost import known_cost

KEYS = ["date", "workload"]


def overhead(
    spend_daily: ir.Table, commitments: ir.Table, workload_state: ir.Table, settings: Settings
) -> ir.Table:
    """Sums by day a workload's overhead since cutover, not of GPU, and its idle commitment."""
    spent = spend_daily.filter(spend_daily.attribution == "overhead")
    since = left_join(spent, workload_state.select("workload", "cutover"), ["workload"])
    on_gpu = (since.hardware == "gpu").fill_null(False)
    own = since.filter((since.date >= since.cutover) & ~on_gpu)
    cost = known_cost(own, settings.cost.basis)
    own = own.select(*KEYS, amount=cost)
    idle = commitments.filter(commitments.kind == "trainium").select(*KEYS, "amount")
    both = own.union(idle)
    return both.group_by(KEYS).agg(overhead=known_sum(both.amount), burdened=ibis.literal(True))

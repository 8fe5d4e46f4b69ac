"""Computes how much of the GPU pools stood idle while baseline runs trained (METHOD §2.10.6).

Idle of GPU pools is in no baseline: what a GPU epoch cost there leaves it out. This share says by
how much. It is shown beside, and counted nowhere.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.money import known_sum, ratio
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.known_cost import known_cost

POOL = ["cluster", "cluster_place", "instance_type"]
HELD = ("held", "unknown")


@step(
    grain="workload, and `(portfolio)`, of those whose GPU runs held pools",
    units="fraction of dollars on `cost.basis`",
    nulls="a cost is unknown",
    method="§2.10",
    whose="workload",
)
def gpu_idle_shares(
    result_runs: ir.Table, lineage_facts: ir.Table, pool_days: ir.Table, settings: Settings
) -> ir.Table:
    """Computes idle cost ÷ all cost of each workload's GPU pools over its baseline's window."""
    gpu = result_runs.filter(result_runs.hardware == "gpu").select("workload", "lineage")
    facts = lineage_facts.select("workload", "lineage", "first_day", "last_day")
    runs = gpu.join(facts, ["workload", "lineage"])
    windows = runs.group_by("workload").agg(since=runs.first_day.min(), until=runs.last_day.max())
    days = pool_days.filter((pool_days.hardware == "gpu") & pool_days.settled)
    mine = days.filter(days.workload.notnull()).select("workload", *POOL).distinct()
    pools = mine.join(windows, "workload")
    rows = days.drop("workload").join(pools, POOL)
    rows = rows.filter((rows.date >= rows.since) & (rows.date <= rows.until)).select(days.columns)
    every = rows.union(_of_company(days, rows))
    every = every.mutate(cost=known_cost(every, settings.cost.basis))
    sums = every.group_by("workload").agg(
        idle=known_sum(ibis.ifelse(every.holding.isin(HELD), 0, every.cost)),
        whole=known_sum(every.cost),
    )
    return sums.select("workload", gpu_idle_share=ratio(sums.idle, sums.whole))


def _of_company(days: ir.Table, rows: ir.Table) -> ir.Table:
    """Returns the days of pools in any workload's window, once each, as those of the portfolio."""
    found = days.semi_join(rows.select("date", *POOL).distinct(), ["date", *POOL])
    return found.mutate(workload=ibis.literal(PORTFOLIO)).select(days.columns)

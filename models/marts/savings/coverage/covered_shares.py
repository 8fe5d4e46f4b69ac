"""Computes the part of Trainium spend that is compared with GPU (METHOD §6.10)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import known_sum, ratio
from models.contract.portfolio import with_portfolio
from models.contract.rules.recent_window import between


@step(
    grain="workload, and `(portfolio)`, of those with production on Trainium",
    units="fractions; dollars on `cost.basis`",
    nulls="shares: nothing was spent, or a cost is unknown; cost_to_know: all is judged, or no GPU "
    "run of what is not qualifies",
    method="§6.10",
    whose="workload",
)
def covered_shares(
    judged_daily: ir.Table, unjudged_kinds: ir.Table, workload_settled: ir.Table
) -> ir.Table:
    """Computes what share of workloads' Trainium spend is compared with GPU, in all and lately."""
    last = workload_settled.select("workload", "recent_since", last="settled_through")
    days = judged_daily.join(last, "workload")
    recent = between(days.date, days.recent_since, days["last"])
    days = days.mutate(recent=recent).drop("last", "recent_since")
    rows = with_portfolio(days)
    shares = rows.group_by("workload").agg(
        covered_share=ratio(known_sum(rows.judged_cost), known_sum(rows.trn_cost)),
        covered_share_recent=ratio(
            known_sum(rows.judged_cost, where=rows.recent),
            known_sum(rows.trn_cost, where=rows.recent),
        ),
    )
    lacking = with_portfolio(unjudged_kinds.select("workload", "cost_to_know"))
    costs = lacking.group_by("workload").agg(cost_to_know=lacking.cost_to_know.sum())
    return left_join(shares, costs, ["workload"])

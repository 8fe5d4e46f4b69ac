"""What a unit of work cost on GPU: the window's cost ÷ its work (METHOD §5.2, `measured`)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.money import known_sum
from models.contract.rules.kinds_of_work import CANDIDATE

LINE = ["workload", "lineage"]


def window_sums(
    baseline_window: ir.Table, lineage_facts: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Computes each baseline window's GPU runs, cost and work, and how its runs came into it."""
    facts = lineage_facts.select(*LINE, "cost", "list_cost", "target_loss")
    members = baseline_window.join(facts, LINE)
    members = members.join(comparable.select(*LINE, "work_to_target"), LINE)
    qualified = members.qualifies
    return members.group_by(*CANDIDATE, "newest").agg(
        runs=members.lineage.count(where=qualified),
        stale=members.stale.any(),
        topped_up=members.later.any(),
        work=members.work.sum(),
        cost=members.cost.sum(),
        all_list_cost=known_sum(members.list_cost),
        way=members.work_to_target.median(where=qualified),
        ran=members.work.median(where=qualified & members.target_loss.notnull()),
    )

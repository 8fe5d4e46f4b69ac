"""Sums the cost and work of each window of GPU runs, for the measured cost (METHOD §5.2).

`measured` is the window's cost ÷ its work. Example: $5,250.00 ÷ 20 epochs are $262.50.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.money import known_sum
from models.contract.rules.work.kinds_of_work import CANDIDATE
from models.marts.baseline.windows.target_cap import misses_target, target_cap

LINE = ["workload", "lineage"]


def window_sums(
    baseline_window: ir.Table, lineage_facts: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Counts the runs and sums cost and work of each baseline window; `cap` is the work per result.

    `cap` is null without a target loss, and where none of them reached it (`missed`).
    """
    facts = lineage_facts.select(*LINE, "cost", "list_cost", "target_loss")
    members = baseline_window.join(facts, LINE)
    members = members.join(comparable.select(*LINE, "work_to_target"), LINE)
    sums = members.group_by(*CANDIDATE, "newest").agg(
        runs=members.lineage.count(where=members.qualifies),
        stale=members.stale.any(),
        topped_up=members.later.any(),
        work=members.work.sum(),
        cost=members.cost.sum(),
        all_list_cost=known_sum(members.list_cost),
        lineages=members.count(),
        aimed=members.target_loss.notnull().any(),
        reached=members.work_to_target.count(),
        until_target=members.work_to_target.coalesce(members.work).sum(),
    )
    return sums.mutate(cap=target_cap(sums), missed=misses_target(sums))

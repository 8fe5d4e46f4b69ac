"""What a unit of work cost on GPU, and how many units a result took (METHOD §5.2, §3.6).

`measured` is the window's cost ÷ its work. With a target loss, `cap` is the work that GPU needed
for each result: what its runs did until they reached the target, and all that the others did, ÷ how
many reached it. Example: one run reached the target after 10 epochs, one ended at 10 without: 20.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import known_sum, ratio
from models.contract.rules.kinds_of_work import CANDIDATE

LINE = ["workload", "lineage"]


def window_sums(
    baseline_window: ir.Table, lineage_facts: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Computes each baseline window's GPU runs, cost and work, and how its runs came into it.

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
    cap = ibis.ifelse(sums.aimed, ratio(sums.until_target, sums.reached), None)
    return sums.mutate(cap=cap, missed=sums.aimed & (sums.reached == 0))

"""What an epoch cost on GPU: the window's cost divided by its work (METHOD §5.2, `measured`)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import known_sum, product, ratio
from models.contract.rules.kinds_of_work import KIND_SINCE

LINE = ["workload", "lineage"]


def window_sums(
    baseline_window: ir.Table, lineage_facts: ir.Table, final_losses: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Computes each baseline window's GPU runs, cost and work, and their median and worst loss."""
    facts = lineage_facts.select(*LINE, "epochs", "cost", "list_cost", "target_loss")
    members = left_join(baseline_window.join(facts, LINE), final_losses, LINE)
    members = members.join(comparable.select(*LINE, "tokens_per_epoch", "work_to_target"), LINE)
    qualified = members.qualifies
    return members.group_by(*KIND_SINCE, "per_epoch", "tokens_per_epoch").agg(
        runs=members.lineage.count(where=qualified),
        stale=members.stale.any(),
        topped_up=members.later.any(),
        work=members.work.sum(),
        gpu_epochs=members.epochs.sum(),
        cost=members.cost.sum(),
        all_list_cost=known_sum(members.list_cost),
        median_loss=members.final_loss.median(where=qualified),
        worst_loss=members.final_loss.max(where=qualified),
        way=members.work_to_target.median(where=qualified),
        ran=members.work.median(where=qualified & members.target_loss.notnull()),
    )


def per_epoch(cost: ir.Value, rows: ir.Table) -> ir.Value:
    """Divides a cost of a baseline window by its epochs: dollars per epoch."""
    return ratio(product(cost, rows.per_epoch), rows.work)

"""Computes a lineage's cost until its loss first reached the target loss (METHOD §3.6)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import known_sum, product, ratio

RUN = ["workload", "run"]


def cost_to_target_loss(
    unit_daily: ir.Table, lineage_facts: ir.Table, run_registry: ir.Table, lineages: ir.Table
) -> ir.Table:
    """Computes, for runs that first reached the target loss, their lineage's cost until then.

    The cost is in dollars on `cost.basis`, on the row of the run that reached the loss. A day's
    cost accrues evenly over the lineage's time on it, because the bill is read by day. It is null
    where the cost of a day is unknown, as it is where the bill has no accelerator-hours.
    """
    at = lineage_facts.target_at
    billed = lineage_facts.all_hours > 0
    reached = lineage_facts.filter(billed & (at.date() <= lineage_facts.settled_through))
    reached = reached.select("workload", "lineage", "target_at", "target_part", "target_whole")
    days = unit_daily.join(reached, ["workload", "lineage"])
    days = days.filter(days.in_lineage & (days.date <= days.target_at.date()))
    part = ratio(product(days.cost, days.target_part), days.target_whole)
    accrued = ibis.ifelse(days.date < days.target_at.date(), days.cost, part)
    accrued = ibis.ifelse((days.unbilled_epochs > 0) | ~days.settled, None, accrued)
    spent = days.group_by("workload", "lineage").agg(cost_to_target_loss=known_sum(accrued))
    there = run_registry.join(lineages, RUN).join(reached, ["workload", "lineage"])
    there = there.filter(
        (there.first_sample <= there.target_at) & (there.last_sample >= there.target_at)
    )
    first = there.group_by("workload", "lineage").agg(run=there.run.min())
    return first.join(spent, ["workload", "lineage"]).select(*RUN, "cost_to_target_loss")

"""Which window each month's baseline rests on: the one in force on its last settled day."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE


def month_windows(
    month_facts: ir.Table,
    calendar: ir.Table,
    baseline_steps: ir.Table,
    further_baselines: ir.Table,
) -> ir.Table:
    """Finds the baseline window that held on the last settled day of months with Trainium epochs.

    Returns a row per month, workload and kind of work. Other months need none, because without
    Trainium epochs they have no counterfactual. `kind_of_work` is null for the main kind, which
    `baselines` shows.
    """
    trained = month_facts.filter(month_facts.trn_epochs > 0).select("month", "workload")
    days = calendar.filter(calendar.settled)
    days = days.mutate(month=days.date.strftime("%Y-%m")).semi_join(trained, ["month", "workload"])
    ends = days.group_by("month", "workload").agg(date=days.date.max())
    others = further_baselines.select(*KIND, "kind_of_work").distinct()
    kinds = left_join(baseline_steps.select(KIND).distinct(), others, KIND)
    kinds = kinds.filter((kinds.kind == 0) | kinds.kind_of_work.notnull())
    due = ends.join(kinds, "workload")
    steps = baseline_steps.select(*KIND_SINCE, date="since")
    held = due.asof_join(steps, on="date", predicates=KIND)
    return held.select("month", *KIND, "kind_of_work", "since")

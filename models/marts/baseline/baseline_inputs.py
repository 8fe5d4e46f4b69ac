"""What each month's GPU baseline was computed from, so that it can be redone by hand.

Of the workload's last settled day of the month, and of months with epochs on Trainium alone: only
there a counterfactual stands on it; of each kind of work (`work_kinds`), `kind_of_work` null for
the main one, of which `baselines` tells. `baseline_runs`: month × workload × lineage of the window,
its epochs (in the baseline's unit) and dollars on the configured basis, failed ones included;
measured is the sum of the one by the sum of the other. `baseline_hours`: month × workload × way in
which their GPU hours were bought; repriced is the sum of `repriced`, and `other_per_epoch` (METHOD
§5).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.schema import EXPLAINERS

KIND = ["workload", "kind"]
KEYS = [*KIND, "since"]


def baseline_runs(
    month_facts: ir.Table,
    calendar: ir.Table,
    baseline_steps: ir.Table,
    baseline_members: ir.Table,
    lineage_facts: ir.Table,
    further_baselines: ir.Table,
) -> ir.Table:
    """The lineages of each month's window."""
    held = _held(month_facts, calendar, baseline_steps, further_baselines)
    facts = lineage_facts.select("workload", "lineage", "ended_on", "cost")
    rows = held.join(baseline_members, KEYS).join(facts, ["workload", "lineage"])
    return rows.mutate(epochs=ratio(rows.work, rows.per_epoch)).select(*EXPLAINERS["baseline_runs"])


def baseline_hours(
    month_facts: ir.Table,
    calendar: ir.Table,
    baseline_steps: ir.Table,
    baseline_terms: ir.Table,
    further_baselines: ir.Table,
) -> ir.Table:
    """The terms of each month's repriced baseline."""
    held = _held(month_facts, calendar, baseline_steps, further_baselines)
    rows = held.join(baseline_terms, KEYS)
    return rows.select(*EXPLAINERS["baseline_hours"])


def _held(
    month_facts: ir.Table, calendar: ir.Table, steps: ir.Table, further: ir.Table
) -> ir.Table:
    """Per month, workload and kind, the step that holds on the month's last settled day."""
    trained = month_facts.filter(month_facts.trn_epochs > 0).select("month", "workload")
    days = calendar.filter(calendar.settled)
    days = days.mutate(month=days.date.strftime("%Y-%m")).semi_join(trained, ["month", "workload"])
    ends = days.group_by("month", "workload").agg(date=days.date.max())
    others = further.select(*KIND, "kind_of_work").distinct()
    kinds = left_join(steps.select(KIND).distinct(), others, KIND)
    kinds = kinds.filter((kinds.kind == 0) | kinds.kind_of_work.notnull())
    due = ends.join(kinds, "workload")
    held = due.asof_join(steps.select(*KEYS, date="since"), on="date", predicates=KIND)
    return held.select("month", *KIND, "kind_of_work", "since")

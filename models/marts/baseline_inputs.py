"""What each month's GPU baseline was computed from, so that it can be redone by hand.

Of the workload's last settled day of the month, and of months with epochs on Trainium alone: only
there a counterfactual stands on it; of the workload's main kind of work (`work_kinds`), the one of
which `baselines` tells. `baseline_runs`: month × workload × lineage of the window, its
epochs (in the baseline's unit) and dollars on the configured basis, failed ones included; measured
is the sum of the one by the sum of the other. `baseline_hours`: month × workload × way in which
their GPU hours were bought; repriced is the sum of `repriced`, and `other_per_epoch` (METHOD §5).

"""

from __future__ import annotations

import ibis.expr.types as ir

from models.money import ratio
from models.schema import EXPLAINERS

KEYS = ["workload", "kind", "since"]


def baseline_runs(
    month_facts: ir.Table,
    calendar: ir.Table,
    baseline_steps: ir.Table,
    baseline_members: ir.Table,
    lineage_facts: ir.Table,
) -> ir.Table:
    """The lineages of each month's window."""
    held = _held(month_facts, calendar, baseline_steps)
    facts = lineage_facts.select("workload", "lineage", "ended_on", "cost")
    rows = held.join(baseline_members, KEYS).join(facts, ["workload", "lineage"])
    return rows.mutate(epochs=ratio(rows.work, rows.per_epoch)).select(*EXPLAINERS["baseline_runs"])


def baseline_hours(
    month_facts: ir.Table, calendar: ir.Table, baseline_steps: ir.Table, baseline_terms: ir.Table
) -> ir.Table:
    """The terms of each month's repriced baseline."""
    rows = _held(month_facts, calendar, baseline_steps).join(baseline_terms, KEYS)
    return rows.select(*EXPLAINERS["baseline_hours"])


def _held(month_facts: ir.Table, calendar: ir.Table, steps: ir.Table) -> ir.Table:
    """Per month and workload, `date` and `since`: the step that holds on the month's last day."""
    trained = month_facts.filter(month_facts.trn_epochs > 0).select("month", "workload")
    days = calendar.filter(calendar.settled)
    days = days.mutate(month=days.date.strftime("%Y-%m")).semi_join(trained, ["month", "workload"])
    ends = days.group_by("month", "workload").agg(date=days.date.max())
    known = steps.filter(steps.kind == 0).select(*KEYS, date="since")
    held = ends.asof_join(known, on="date", predicates="workload")
    return held.select("month", "workload", "kind", "date", "since")

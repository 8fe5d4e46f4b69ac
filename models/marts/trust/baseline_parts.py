"""The terms of each workload's repriced baseline on its last settled day."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.schema import EXPLAINERS


def baseline_parts(baseline_terms: ir.Table, calendar: ir.Table) -> ir.Table:
    """The terms of each workload's baseline on its last settled day, of its main kind of work."""
    baseline_terms = baseline_terms.filter(baseline_terms.kind == 0)
    settled = calendar.filter(calendar.settled)
    last = settled.group_by("workload").agg(date=settled.date.max())
    steps = baseline_terms.select("workload", "since")
    due = last.join(steps, "workload").filter(lambda row: row.since <= row.date)
    chosen = due.group_by("workload", "date").agg(since=due.since.max())
    rows = chosen.join(baseline_terms, ["workload", "since"])
    return rows.select(*EXPLAINERS["baseline_parts"])

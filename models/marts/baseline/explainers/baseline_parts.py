"""The terms of the repriced baseline on the last settled day, of the main kind of work.

Workload × platform × instance type × region × purchase option; dollars on the configured basis
(METHOD §5.3).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE
from models.contract.schema import EXPLAINERS
from models.marts.baseline.methods.repriced import repriced_terms


@mart(
    grain="date (the last settled day) × workload × platform × instance type × region × purchase "
    "option",
    units="instance-hours; dollars on `cost.basis`",
    nulls="price, factor, repriced: a price is unknown",
    method="§5.3",
    whose="workload",
)
def baseline_parts(
    calendar: ir.Table,
    kinds: ir.Table,
    baseline_steps: ir.Table,
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
) -> ir.Table:
    """Lists GPU hours and prices of the repriced baseline (main kind) on the last settled day."""
    settled = calendar.filter(calendar.settled)
    last = settled.group_by("workload").agg(date=settled.date.max())
    steps = baseline_steps.semi_join(kinds.filter(kinds.main), KIND).select(KIND_SINCE)
    due = last.join(steps, "workload").filter(lambda row: row.since <= row.date)
    chosen = due.group_by(*KIND, "date").agg(since=due.since.max())
    window = baseline_window.semi_join(chosen, KIND_SINCE)
    terms = repriced_terms(window, lineage_facts, gpu_use, price_steps)
    return chosen.join(terms, KIND_SINCE).select(*EXPLAINERS["baseline_parts"])

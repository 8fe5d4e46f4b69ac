"""Lists GPU hours and prices behind the repriced baseline on the last settled day (METHOD §5.3).

Workload × platform × instance type × region × purchase option; dollars on the configured basis
(METHOD §5.3).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.rules.work.kinds_of_work import CANDIDATE, kind_of, of_main_kind
from models.contract.schema import EXPLAINERS
from models.marts.baseline.explainers.month_windows import chosen_windows
from models.marts.baseline.methods.lowered_by_payer_discount import with_payer_factor
from models.marts.baseline.methods.repriced import repriced_terms, window_hours


@mart(
    grain="date (the last settled day) × workload × platform × instance type × region × purchase "
    "option",
    units="instance-hours; dollars on `cost.basis`",
    nulls="price, factor, repriced: a price is unknown; payer_factor: none is lower, or its hours "
    "are too few",
    method="§5.3",
    whose="workload",
)
def baseline_parts(
    calendar: ir.Table,
    baselines: ir.Table,
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    applicable_discounts: ir.Table,
) -> ir.Table:
    """Lists GPU hours and prices of the main recipe's repriced baseline on the last settled day."""
    settled = calendar.filter(calendar.settled)
    last = settled.group_by("workload").agg(date=settled.date.max())
    main = of_main_kind(baselines)
    kinds = main.select("workload", "date", kind=kind_of(main.recipe))
    held = chosen_windows(last.join(kinds, ["workload", "date"]), baselines, baseline_window)
    hours = window_hours(baseline_window.semi_join(held, CANDIDATE), lineage_facts, gpu_use)
    terms = repriced_terms(held.join(hours, CANDIDATE), price_steps, "date")
    return with_payer_factor(terms, applicable_discounts).select(*EXPLAINERS["baseline_parts"])

"""Lists the GPU hours behind each month's repriced baseline (METHOD §5.3).

Month × workload × kind of work × way in which the hours of the window's lineages were bought.
Repriced is the sum of `repriced`, and `other_per_epoch` once (METHOD §5.3).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.rules.work.kinds_of_work import CANDIDATE
from models.contract.schema import EXPLAINERS
from models.marts.baseline.explainers.month_windows import month_windows
from models.marts.baseline.methods.lowered_by_payer_discount import with_payer_factor
from models.marts.baseline.methods.repriced import repriced_terms, window_hours


@mart(
    grain="month × workload × kind × platform × instance type × region × purchase option",
    units="instance-hours; dollars on `cost.basis`",
    nulls="kind_of_work: the main kind; price, repriced: no price on the day; payer_factor: none "
    "is lower, or its hours are too few",
    method="§5.3",
    whose="workload",
)
def baseline_hours(
    savings_by_kind: ir.Table,
    calendar: ir.Table,
    baselines: ir.Table,
    baseline_window: ir.Table,
    lineage_facts: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    applicable_discounts: ir.Table,
    kinds: ir.Table,
) -> ir.Table:
    """Lists GPU hours and prices behind each recipe's repriced baseline at each month's end."""
    held = month_windows(savings_by_kind, calendar, baselines, baseline_window, kinds)
    window = baseline_window.semi_join(held, CANDIDATE)
    hours = window_hours(window, lineage_facts, gpu_use)
    terms = repriced_terms(held.join(hours, CANDIDATE), price_steps, "date")
    return with_payer_factor(terms, applicable_discounts).select(*EXPLAINERS["baseline_hours"])

"""Computes what a day's Trainium work would have cost on GPU (METHOD §6.1).

The counterfactual is each kind's baseline of the day × its credited epochs. Example: 4 credited
epochs at a baseline of $175.875 are a counterfactual of $703.50. `counted_cost` and
`counted_epochs` are those of a cost per unit: of lineages whose work is counted in `unit`.
"""

from __future__ import annotations

from functools import partial

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, carried_product, known_sum, zero_if_null
from models.contract.rules.work.kinds_of_work import with_own_baseline

KEYS = ["date", "workload"]


@step(
    grain="date × workload × kind, of production on Trainium",
    units="dollars on `cost.basis` and at list; work in `unit`",
    nulls="counterfactual, listed: no baseline on the day, at list none; costs: unknown",
    method="§6.1",
    whose="workload",
)
def counterfactual_daily(
    credited_daily: ir.Table, baselines: ir.Table, workload_state: ir.Table
) -> ir.Table:
    """Multiplies each recipe's credited Trainium work of a day by its GPU baseline of that day.

    The work of lineages that count; of all where the workload may claim nothing (`barred`).
    """
    state = workload_state.select("workload", "barred")
    rows = left_join(credited_daily, state, ["workload"])
    rows = rows.filter((rows.standing == "counted") | rows.barred)
    sums = rows.group_by(*KEYS, "kind", "unit", "main", "settled", "barred").agg(
        trn_cost=known_sum(rows.cost),
        trn_list=known_sum(rows.list_cost),
        counted_cost=known_sum(ibis.ifelse(rows.counted_in_unit, rows.cost, ZERO)),
        counted_epochs=zero_if_null(rows.epochs.sum(where=rows.counted_in_unit)),
        epochs=rows.epochs.sum(),
        credited_epochs=rows.credited_epochs.sum(),
    )
    held = with_own_baseline(sums, baselines, "value", "value_at_list")
    each = partial(carried_product, within=("workload", "kind"), order="date")
    return held.mutate(
        counterfactual=each(held.value, held.credited_epochs),
        listed=each(held.value_at_list, held.credited_epochs),
    )

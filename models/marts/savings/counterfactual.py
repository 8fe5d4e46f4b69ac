"""What a workload's Trainium work of a day would have cost on GPU, and what it cost (METHOD §6.1).

The counterfactual is each kind's baseline of the day × its credited epochs. A kind without a
baseline on a day is left out of that day whole, its cost too. Example: 4 credited epochs at a
baseline of $175.875 are a counterfactual of $703.50.
"""

from __future__ import annotations

from functools import partial

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, carried_product, known_sum, zero_if_null
from models.contract.rules.kinds_of_work import with_own_baseline
from models.marts.savings.volume.at_old_volume import with_old_volume

KEYS = ["date", "workload"]
AMOUNTS = ("trn_cost", "trn_list", "counterfactual", "listed", "at_old_volume")


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
    """Prices each kind's Trainium work of a day at the GPU baseline of its kind.

    The work of lineages that count; of all where the workload may claim nothing (`barred`).
    """
    state = workload_state.select("workload", "barred")
    rows = left_join(credited_daily, state, ["workload"])
    rows = rows.filter((rows.standing == "counted") | rows.barred)
    sums = rows.group_by(*KEYS, "kind", "unit", "main", "settled", "barred").agg(
        trn_cost=known_sum(rows.cost),
        trn_list=known_sum(rows.list_cost),
        epochs=rows.epochs.sum(),
        credited_epochs=rows.credited_epochs.sum(),
    )
    held = with_own_baseline(sums, baselines, "value", "value_at_list")
    each = partial(carried_product, within=("workload", "kind"), order="date")
    return held.mutate(
        counterfactual=each(held.value, held.credited_epochs),
        listed=each(held.value_at_list, held.credited_epochs),
    )


def by_workload(counterfactual_daily: ir.Table, old_volume: ir.Table) -> ir.Table:
    """Sums each workload's Trainium days over its kinds, as far as they have a baseline.

    Where no kind has one on any day, costs are of all and the counterfactual is null. Work is that
    of the `main` kind. An amount is null where one of a kind that counts is.
    """
    rows = with_old_volume(counterfactual_daily, old_volume)
    some = rows.counterfactual.notnull().any().over(ibis.window(group_by="workload"))
    rows = rows.mutate(counts=rows.counterfactual.notnull() | ~some)
    return rows.group_by(KEYS).agg(
        **{
            name: ibis.ifelse(rows.counts.any(), known_sum(rows[name], where=rows.counts), ZERO)
            for name in AMOUNTS
        },
        **{
            name: zero_if_null(rows[name].sum(where=rows.counts & rows.main))
            for name in ("epochs", "credited_epochs")
        },
        worked=ibis.literal(True),
    )

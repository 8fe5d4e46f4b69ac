"""What the Trainium work of a day would have cost on GPU, and what it did cost (METHOD §6.1).

The counterfactual is each kind's baseline of the day × its credited epochs, summed over the kinds
of a workload. Example: 4 credited epochs at a baseline of $175.875 are a counterfactual of $703.50.
"""

from __future__ import annotations

from functools import partial

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import carried_product, known_sum
from models.contract.rules.kinds_of_work import with_own_baseline

KEYS = ["date", "workload"]


def counterfactual(
    credited_daily: ir.Table,
    baselines: ir.Table,
    further_baselines: ir.Table,
    workload_state: ir.Table,
) -> ir.Table:
    """Computes the actual cost and the GPU counterfactual of each workload's Trainium days.

    Amounts are null where a cost, a baseline or a list price of the day is unknown.
    """
    by_kind = _work_by_kind(credited_daily, workload_state)
    by_kind = with_own_baseline(by_kind, baselines, further_baselines, "value", "value_at_list")
    return _at_baseline(_without_gaps(by_kind, further_baselines))


def _work_by_kind(credited_daily: ir.Table, workload_state: ir.Table) -> ir.Table:
    """Sums Trainium cost and epochs by day and kind, of comparable lineages; of all if none is."""
    rows = left_join(
        credited_daily, workload_state.select("workload", "none_compare"), ["workload"]
    )
    rows = rows.filter((rows.standing == "counted") | rows.none_compare)
    return rows.group_by(*KEYS, "kind").agg(
        trn_cost=known_sum(rows.cost),
        trn_list=known_sum(rows.list_cost),
        epochs=rows.epochs.sum(),
        credited_epochs=rows.credited_epochs.sum(),
    )


def _without_gaps(rows: ir.Table, further_baselines: ir.Table) -> ir.Table:
    """Nulls all baselines of a workload with several kinds of work if one has a day without."""
    several = rows.semi_join(further_baselines, "workload")
    gaps = several.group_by("workload").agg(
        gap=several.value.isnull().any(), list_gap=several.value_at_list.isnull().any()
    )
    rows = left_join(rows, gaps, ["workload"])
    return rows.mutate(
        value=ibis.ifelse(rows.gap, None, rows.value),
        value_at_list=ibis.ifelse(rows.list_gap, None, rows.value_at_list),
    )


def _at_baseline(rows: ir.Table) -> ir.Table:
    """Prices a workload's Trainium epochs at the GPU baseline of their kind and sums by day."""
    each = partial(carried_product, within=("workload", "kind"), order="date")
    rows = rows.mutate(
        counterfactual=each(rows.value, rows.credited_epochs),
        listed=each(rows.value_at_list, rows.credited_epochs),
    )
    amounts = ("trn_cost", "trn_list", "counterfactual", "listed")
    return rows.group_by(KEYS).agg(
        **{name: known_sum(rows[name]) for name in amounts},
        **{name: rows[name].sum() for name in ("epochs", "credited_epochs")},
        worked=ibis.literal(True),
    )

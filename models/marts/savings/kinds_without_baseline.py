"""Leaves recipes out of savings on days on which they have no GPU baseline (METHOD §6.1).

Its cost of that day is left out, too, and the workload's other kinds are summed. Only if it may
claim no saving (`barred`) are its costs those of all kinds, and its savings null.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, zero_if_null
from models.marts.savings.volume.at_old_volume import with_old_volume

KEYS = ["date", "workload"]
AMOUNTS = ("trn_cost", "trn_list", "counterfactual", "listed", "at_old_volume")


def by_workload(counterfactual_daily: ir.Table, old_volume: ir.Table) -> ir.Table:
    """Sums each workload's daily cost and GPU counterfactual over its recipes with a GPU baseline.

    Where none may be claimed, costs are of all, and its callers claim no saving. Work is that of
    the `main` kind. An amount is null where one of a kind that counts is.
    """
    rows = with_old_volume(counterfactual_daily, old_volume)
    rows = rows.mutate(counts=rows.counterfactual.notnull() | rows.barred)
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

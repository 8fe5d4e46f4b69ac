"""Assigns each lineage of runs its recipe, and finds each workload's main one (METHOD §3.4).

A kind is a workload and a recipe. The main kind is the one with most Trainium cost; of equals, the
one with most GPU cost. What a lineage cost on GPU before a Trainium run resumed it is not Trainium
cost.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import zero_if_null
from models.contract.rules.work.kinds_of_work import KIND, kind_of


def with_kinds(lineage_facts: ir.Table, token_counter_checks: ir.Table) -> ir.Table:
    """Adds to each counted lineage of runs its recipe (`kind`), and if that is the `main` one.

    A lineage that reports nothing and states no recipe is of its workload's main kind.
    """
    rows = lineage_facts.filter(lineage_facts.counted)
    rows = left_join(rows, token_counter_checks, ["workload", "lineage"])
    rows = rows.mutate(kind=kind_of(rows.recipe))
    nameless = ~rows.reports_progress & rows.recipe.isnull()
    main = _main(rows.filter(~nameless))
    rows = left_join(rows, main.select("workload", main_kind="kind"), ["workload"])
    nameless = ~rows.reports_progress & rows.recipe.isnull()
    own = ibis.ifelse(nameless, ibis.coalesce(rows.main_kind, rows.kind), rows.kind)
    rows = rows.mutate(kind=own)
    return rows.mutate(main=rows.kind == ibis.coalesce(rows.main_kind, rows.kind))


def _main(rows: ir.Table) -> ir.Table:
    """Returns each workload's recipe with most Trainium cost; of equal ones the most GPU cost."""
    sums = rows.group_by(KIND).agg(
        trn=zero_if_null(rows.trn_cost.sum(where=~rows.recipes_differ)),
        gpu=zero_if_null(rows.cost.sum(where=rows.on_gpu & ~rows.recipes_differ)),
    )
    order = [ibis.desc(sums.trn), ibis.desc(sums.gpu), sums.kind]
    ranked = sums.mutate(
        place=ibis.row_number().over(ibis.window(group_by="workload", order_by=order))
    )
    return ranked.filter(ranked.place == 0)

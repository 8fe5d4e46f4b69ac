"""The kinds of work that each workload does, and the unit in which each is counted (METHOD §3.4).

The unit is the first of epochs, tokens and samples in which `min_runs` GPU lineages qualify and 95
% of the cost of its production Trainium lineages with progress can be told; else of those with
`min_runs` the one that tells most of that cost; else the first that tells anything. `unit` of
`[[workloads]]` pins it. Example: two GPU lineages report tokens alone, and so does the Trainium
lineage: the unit is a billion tokens.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, zero_if_null
from models.contract.rules.kinds_of_work import KIND, kind_of
from models.contract.units import EPOCH
from models.marts.work.comparison.usable_units import best, usable_units

ENOUGH_TOLD = 0.95


@step(
    grain="workload × lineage × unit, of those in cost per epoch",
    units="`work` in the unit",
    nulls="least_work: no GPU lineage has ended; work_to_target: target loss not reached",
    method="§3.4, §5.1",
    whose="run",
)
def lineage_units(lineage_facts: ir.Table, token_counts: ir.Table) -> ir.Table:
    """Lists in which units each lineage that counts can be told, and how much work it is in each.

    A lineage that reports nothing and states no recipe is of its workload's `main` kind.
    """
    rows = lineage_facts.filter(lineage_facts.counted)
    rows = left_join(rows, token_counts, ["workload", "lineage"])
    rows = rows.mutate(kind=kind_of(rows.recipe))
    nameless = ~rows.reports_progress & rows.recipe.isnull()
    main = _main(rows.filter(~nameless))
    rows = left_join(rows, main.select("workload", main_kind="kind"), ["workload"])
    nameless = ~rows.reports_progress & rows.recipe.isnull()
    own = ibis.ifelse(nameless, ibis.coalesce(rows.main_kind, rows.kind), rows.kind)
    rows = rows.mutate(kind=own)
    return usable_units(rows.mutate(main=rows.kind == ibis.coalesce(rows.main_kind, rows.kind)))


@step(
    grain="workload × kind",
    units="`least_work` in `unit`",
    nulls="least_work: no GPU lineage has ended",
    method="§3.4",
    whose="workload",
)
def kinds(lineage_units: ir.Table, config_workloads: ir.Table, settings: Settings) -> ir.Table:
    """Chooses the unit of each kind of work, and the main kind of each workload."""
    rows = lineage_units
    progressed = rows.on_trainium & rows.reports_progress
    units = rows.group_by(*KIND, "unit", "main").agg(
        least_work=rows.least_work.max(),
        enough=rows.qualifies.sum() >= settings.baseline.min_runs,
        trn_told=zero_if_null(rows.cost.sum(where=progressed & rows.told)),
        trn_cost=zero_if_null(rows.cost.sum(where=progressed)),
        some=rows.told.any(),
        on_gpu=(rows.on_gpu & ~rows.recipes_differ).any(),
        has_gpu=rows.on_gpu.any(),
        told_on_gpu=(rows.told & rows.on_gpu).any(),
    )
    units = left_join(units, config_workloads.select("workload", pinned="unit"), ["workload"])
    return best(_scored(units), "pinned", "whole", "enough", "told_where_enough", "some").select(
        *KIND, "unit", "main", "least_work", "on_gpu", "has_gpu", "told_on_gpu"
    )


def _scored(units: ir.Table) -> ir.Table:
    """Adds what decides between units: pinned, nearly whole, enough runs, what is told of them."""
    whole = units.trn_told.cast("float64") >= units.trn_cost.cast("float64") * ENOUGH_TOLD
    return units.mutate(
        pinned=(units.unit == units.pinned).fill_null(False),
        whole=units.enough & whole,
        told_where_enough=ibis.ifelse(units.enough & ~whole, units.trn_told, ZERO),
        some=units.some.fill_null(units.unit == EPOCH),
    )


def _main(rows: ir.Table) -> ir.Table:
    """Finds each workload's kind of most Trainium cost, of equals the one of most GPU cost."""
    sums = rows.group_by(KIND).agg(
        trn=zero_if_null(rows.cost.sum(where=rows.on_trainium & ~rows.recipes_differ)),
        gpu=zero_if_null(rows.cost.sum(where=rows.on_gpu & ~rows.recipes_differ)),
    )
    order = [ibis.desc(sums.trn), ibis.desc(sums.gpu), sums.kind]
    ranked = sums.mutate(
        place=ibis.row_number().over(ibis.window(group_by="workload", order_by=order))
    )
    return ranked.filter(ranked.place == 0)

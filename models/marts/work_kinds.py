"""The kinds of GPU work that a workload's Trainium work may be measured against (METHOD §3.4).

Grain: workload × kind: a recipe and samples per epoch (±1 %) that GPU lineages did. Kind 0 is the
one that most Trainium epochs share, then the one with most GPU epochs; lineages of several recipes
or sizes make it only where no other does. The further kinds are those with `baseline.min_runs`
qualifying lineages of their own, so that each has a baseline of its own; a quote is for kind 0.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.marts.ended_gpu import ENOUGH_EPOCHS, untold
from models.settings import Settings

KIND = ("workload", "recipe", "samples_per_epoch", "recipes_differ", "sizes_differ")
TOLERANCE = 0.01


def work_kinds(lineage_facts: ir.Table, settings: Settings) -> ir.Table:
    """`workload`, `kind`, and what it is; `recipes_differ` and `sizes_differ` of kind 0 alone."""
    scored = _scored(counted(lineage_facts))
    order = ibis.window(
        group_by="workload",
        order_by=[
            scored.recipes_differ,
            scored.sizes_differ,
            ibis.desc(scored.trn_epochs),
            ibis.desc(scored.gpu_epochs),
            scored.recipe,
            scored.samples_per_epoch,
        ],
    )
    ranked = scored.mutate(kind=ibis.row_number().over(order))
    further = ~ranked.recipes_differ & ~ranked.sizes_differ & (settings.baseline.method != "fixed")
    enough = ranked.qualifying >= settings.baseline.min_runs
    return ranked.filter((ranked.kind == 0) | (further & enough)).select(*KIND, "kind")


def counted(lineage_facts: ir.Table) -> ir.Table:
    """Lineages that are in cost per epoch at all, and whether they state several sizes."""
    rows = lineage_facts.filter(lineage_facts.counted)
    return rows.mutate(sizes_differ=~same_size(rows.most_size, rows.least_size))


def same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    """Within 1 % of the reference; unset equals unset."""
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, near.fill_null(False) | (given.isnull() & reference.isnull()))


def _scored(lineages: ir.Table) -> ir.Table:
    """Each kind with the epochs of what compares with it, and how many could set its baseline."""
    kinds = lineages.filter(lineages.on_gpu).select(*KIND).distinct()
    whole = lineages.filter(~lineages.recipes_differ & ~lineages.sizes_differ)
    ended = whole.on_gpu & whole.ended & (whole.epochs >= ENOUGH_EPOCHS)
    work = whole.select(
        "on_gpu",
        "on_trainium",
        "epochs",
        workload_="workload",
        recipe_="recipe",
        size_="samples_per_epoch",
        qualifies=ended & untold(whole).isnull(),
    )
    rows = kinds.left_join(
        work,
        [
            kinds.workload == work.workload_,
            kinds.recipe.identical_to(work.recipe_),
            same_size(work.size_, kinds.samples_per_epoch),
        ],
    )
    return rows.group_by(KIND).agg(
        trn_epochs=ibis.coalesce(rows.epochs.sum(where=rows.on_trainium), 0),
        gpu_epochs=ibis.coalesce(rows.epochs.sum(where=rows.on_gpu), 0),
        qualifying=rows.qualifies.sum(),
    )


def of_further_kind(lineages: ir.Table, work_kinds: ir.Table) -> ir.Table:
    """`workload`, `lineage`, `further`: which of the further kinds, if Trainium work is of it."""
    kinds = work_kinds.filter(work_kinds.kind > 0)
    whole = lineages.filter(~lineages.recipes_differ & ~lineages.sizes_differ)
    rows = whole.join(
        kinds.select("workload", "kind", recipe_="recipe", size_="samples_per_epoch"), "workload"
    )
    rows = rows.filter(
        rows.recipe.identical_to(rows.recipe_) & same_size(rows.samples_per_epoch, rows.size_)
    )
    line = ["workload", "lineage"]
    of = rows.group_by(*line, "on_trainium").agg(further=rows.kind.min())
    used = of.on_trainium.any().over(ibis.window(group_by=["workload", "further"]))
    return of.mutate(used=used).filter(lambda row: row.used).select(*line, "further")

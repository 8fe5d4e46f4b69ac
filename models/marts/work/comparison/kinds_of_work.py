"""The kinds of GPU work that a workload's Trainium work may be measured against (METHOD §3.4).

Grain: workload × kind: a recipe and samples per epoch (±1 %) that GPU lineages did. It counts where
`baseline.min_runs` qualifying lineages are of it, so that it has a baseline of its own, and
Trainium work is too. Kind 0 is of a recipe that does, the one of most Trainium epochs, whatever
their size, for tokens may compare them; of its sizes one that does, the one of most GPU epochs.
Lineages of several recipes or sizes make it only where no other does, and one that never reported
says nothing of its kind. The first kind of each recipe
`leads`: tokens may make all of the recipe that kind. A lineage is of the first kind that it
compares with, which no other lineage's tag decides. A quote is for kind 0, which then is of most
GPU epochs: what it was asked for does not depend on what Trainium did.


"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import ZERO
from models.contract.rules.qualifying_runs import qualifies

KIND = ("workload", "recipe", "samples_per_epoch", "recipes_differ", "sizes_differ")
TOLERANCE = 0.01


def work_kinds(lineage_facts: ir.Table, settings: Settings) -> ir.Table:
    """`workload`, `kind`, what it is, and `leads`; of several recipes or sizes only kind 0 is."""
    quoted = settings.baseline.method == "fixed"
    scored = _scored(counted(lineage_facts), settings)
    scores = ("gpu_of_recipe",) if quoted else ("recipe_counts", "trn_of_recipe", "counts")
    order = [
        scored.recipes_differ,
        scored.sizes_differ,
        *(ibis.desc(scored[score]) for score in (*scores, "gpu_epochs")),
        scored.recipe,
        scored.samples_per_epoch,
    ]
    ranked = scored.mutate(
        kind=ibis.row_number().over(ibis.window(group_by="workload", order_by=order)),
        place=ibis.row_number().over(ibis.window(group_by=["workload", "recipe"], order_by=order)),
    )
    leads = (ranked.place == 0) & ~ranked.recipes_differ
    ranked = ranked.select(*KIND, "kind", leads=leads)
    return ranked.filter(ranked.kind == 0) if quoted else ranked


def counted(lineage_facts: ir.Table) -> ir.Table:
    """Lineages that are in cost per epoch at all; `mixed`: of several recipes, or sizes."""
    rows = lineage_facts.filter(lineage_facts.counted)
    rows = rows.mutate(
        sizes_differ=~same_size(rows.most_size, rows.least_size), qualifies=qualifies(rows)
    )
    return rows.mutate(mixed=rows.recipes_differ | rows.sizes_differ)


def same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    """Within 1 % of the reference; unset equals unset."""
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, ibis.coalesce(near, given.isnull() & reference.isnull()))


def _scored(lineages: ir.Table, settings: Settings) -> ir.Table:
    """Each kind with the epochs of what compares with it, and whether it, or its recipe, counts."""
    kinds = lineages.filter(lineages.on_gpu & lineages.counts).select(*KIND).distinct()
    whole = lineages.filter(~lineages.mixed)
    work = whole.select(
        workload_="workload",
        recipe_="recipe",
        size_="samples_per_epoch",
        qualifies="qualifies",
        on_trainium="on_trainium",
        trn=ibis.ifelse(whole.on_trainium, whole.epochs, ZERO),
        gpu=ibis.ifelse(whole.on_gpu, whole.epochs, ZERO),
    )
    rows = kinds.left_join(
        work,
        [
            kinds.workload == work.workload_,
            kinds.recipe.identical_to(work.recipe_),
        ],
    )
    alike, least = same_size(rows.size_, rows.samples_per_epoch), settings.baseline.min_runs
    sums = rows.group_by(KIND).agg(
        trn_of_recipe=rows.trn.sum(),
        gpu_of_recipe=rows.gpu.sum(),
        gpu_epochs=rows.gpu.sum(where=alike),
        recipe_counts=(rows.qualifies.sum() >= least) & rows.on_trainium.any(),
        counts=(rows.qualifies.sum(where=alike) >= least) & rows.on_trainium.any(where=alike),
    )
    known = {name: sums[name].fill_null(False) for name in ("recipe_counts", "counts")}
    return sums.mutate(**known)


def of_kind(lineages: ir.Table, work_kinds: ir.Table, settings: Settings) -> ir.Table:
    """`workload`, `lineage`, `of_kind`: which it is of, if that has GPU runs enough and is used."""
    whole = lineages.filter(~lineages.mixed)
    rows = whole.join(
        work_kinds.select("workload", "kind", recipe_="recipe", size_="samples_per_epoch"),
        "workload",
    )
    rows = rows.filter(
        rows.recipe.identical_to(rows.recipe_) & same_size(rows.samples_per_epoch, rows.size_)
    )
    line = ["workload", "lineage"]
    of = rows.group_by(*line, "on_trainium", "qualifies").agg(of_kind=rows.kind.min())
    alike = ibis.window(group_by=["workload", "of_kind"])
    enough = of.qualifies.sum().over(alike) >= settings.baseline.min_runs
    of = of.mutate(counts=enough & of.on_trainium.any().over(alike))
    return of.filter(of.counts).select(*line, "of_kind")

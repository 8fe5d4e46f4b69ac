"""Which lineages compare: the same recipe and the same samples per epoch (METHOD §3.4).

Grain: workload × lineage, those that are `counted`. A workload is measured against one kind of
GPU work: the recipe and samples per epoch (±1 %) that most Trainium epochs share with it, then
the one with most GPU epochs. `comparability` is `comparable`, or in words what differs; unset
equals unset. Lineages that do not compare are left out whole, on either side; a Trainium lineage
that never reported says nothing of its kind, and its cost counts.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

TOLERANCE = 0.01


def comparable(lineage_facts: ir.Table) -> ir.Table:
    """`workload`, `lineage`, `comparability` (null where the workload has no GPU side)."""
    counted = lineage_facts.filter(lineage_facts.counted)
    reference = _references(counted)
    joined = counted.left_join(reference, "workload").drop("workload_right")
    recipe = joined.recipe.identical_to(joined.reference_recipe)
    size = _same_size(joined.samples_per_epoch, joined.reference_size)
    silent = ~joined.sampled & (joined.hardware == "trainium")
    return joined.select(
        "workload",
        "lineage",
        comparability=ibis.cases(
            (joined.has_reference.isnull(), None),
            (silent | (recipe & size), "comparable"),
            (~recipe, "recipe differs"),
            else_="samples per epoch differ",
        ),
    )


def _references(counted: ir.Table) -> ir.Table:
    """One (recipe, samples per epoch) a workload, taken from its GPU lineages."""
    gpu = counted.filter(counted.hardware == "gpu")
    kinds = gpu.select("workload", "recipe", "samples_per_epoch").distinct()
    trn = counted.filter(counted.hardware == "trainium")
    shared = _epochs(kinds, trn, "trn_epochs")
    own = _epochs(kinds, gpu, "gpu_epochs")
    scored = kinds.join(shared, _same_kind(kinds, shared)).select(kinds, shared.trn_epochs)
    scored = scored.join(own, _same_kind(scored, own)).select(scored, own.gpu_epochs)
    order = ibis.window(
        group_by="workload",
        order_by=[
            ibis.desc(scored.trn_epochs),
            ibis.desc(scored.gpu_epochs),
            scored.recipe,
            scored.samples_per_epoch,
        ],
    )
    best = scored.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank == 0)
    return best.select(
        "workload",
        reference_recipe="recipe",
        reference_size="samples_per_epoch",
        has_reference=ibis.literal(True),
    )


def _epochs(kinds: ir.Table, lineages: ir.Table, name: str) -> ir.Table:
    """Epochs of `lineages` that compare with each kind."""
    work = lineages.select(
        workload_="workload", recipe_="recipe", size_="samples_per_epoch", done="epochs"
    )
    matched = kinds.left_join(
        work,
        [
            kinds.workload == work.workload_,
            kinds.recipe.identical_to(work.recipe_),
            _same_size(work.size_, kinds.samples_per_epoch),
        ],
    )
    return matched.group_by("workload", "recipe", "samples_per_epoch").agg(
        **{name: ibis.coalesce(matched.done.sum(), 0)}
    )


def _same_kind(left: ir.Table, right: ir.Table) -> list[ir.BooleanValue]:
    return [
        left[name].identical_to(right[name]) for name in ("workload", "recipe", "samples_per_epoch")
    ]


def _same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, near.fill_null(False) | (given.isnull() & reference.isnull()))

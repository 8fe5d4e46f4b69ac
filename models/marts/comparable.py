"""Which lineages compare, and in what unit: the same recipe and samples per epoch (METHOD §3.4).

Grain: workload × lineage, those that are `counted`. A workload is measured against one kind of
GPU work: the recipe and samples per epoch (±1 %) that most Trainium epochs share with it, then
the one with most GPU epochs. `comparability` is `comparable`, or in words what differs; unset
equals unset. Lineages that do not compare are left out whole, on either side; a Trainium lineage
that never reported says nothing of its kind, and its cost counts. A lineage whose runs, or samples,
state several recipes or sizes compares with nothing, and is a workload's reference only where no
other is: METHOD compares runs, and says nothing of a run that is two things.

Where Trainium work differs in samples per epoch alone, and every lineage of the recipe that did any
work, on either side, tells it in tokens (`token_counts`), the workload is compared per token: an
epoch of its baseline is then `tokens_per_epoch` tokens, what one is on Trainium (tokens ÷ epochs,
to nine digits, of its settled lineages). Where it cannot, `no_unit` says in words what is missing.
`work` counts what a lineage did, and `work_to_target` the same until the target loss, in a unit of
which `per_epoch` make an epoch: epochs (1), or a round number of tokens.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.joins import alike, beside
from models.money import money, product, ratio, zero_if_null

KIND = ("workload", "recipe", "samples_per_epoch", "recipes_differ", "sizes_differ")
TOLERANCE = 0.01
DIGITS = 9
"""Of the tokens that make an epoch: dollars × these stay within DECIMAL(38, 9)."""


def comparable(lineage_facts: ir.Table, token_counts: ir.Table) -> ir.Table:
    """`comparability` (null where the workload has no GPU side), the unit, and work in it."""
    counted = lineage_facts.filter(lineage_facts.counted)
    counted = beside(counted, token_counts, ["workload", "lineage"])
    counted = counted.mutate(sizes_differ=~_same_size(counted.most_size, counted.least_size))
    joined = beside(counted, _references(counted), ["workload"])
    joined = joined.mutate(
        same_recipe=joined.recipe.identical_to(joined.reference_recipe)
        & ~joined.recipes_differ
        & ~joined.no_recipe.fill_null(False),
        same_size=_same_size(joined.samples_per_epoch, joined.reference_size)
        & ~joined.sizes_differ
        & ~joined.no_size.fill_null(False),
    )
    rows = beside(joined, _units(joined), ["workload"])
    per_token = rows.tokens_per_epoch.notnull()
    rows = rows.mutate(per_epoch=ibis.coalesce(rows.per_epoch, 1))
    silent = ~rows.sampled & rows.on_trainium
    within = ibis.ifelse(rows.members > 1, "its runs differ in ", "its samples differ in ")
    return rows.select(
        "workload",
        "lineage",
        "tokens_per_epoch",
        "scale",
        "per_epoch",
        "no_unit",
        comparability=ibis.cases(
            (rows.recipes_differ & ~silent, within + "recipe"),
            (rows.sizes_differ & ~per_token, within + "samples per epoch"),
            (rows.has_reference.isnull(), None),
            (silent | (rows.same_recipe & (rows.same_size | per_token)), "comparable"),
            (~rows.same_recipe, "recipe differs"),
            else_="samples per epoch differ",
        ),
        work=ibis.ifelse(per_token, product(zero_if_null(rows.tokens), rows.scale), rows.epochs),
        work_to_target=ibis.ifelse(
            per_token, product(rows.tokens_to_target, rows.scale), rows.epochs_to_target
        ),
    )


def _units(rows: ir.Table) -> ir.Table:
    """How many tokens a Trainium epoch is, where a workload has to be compared per token."""
    did = (rows.epochs > 0) | (rows.tokens > 0)
    worked = rows.filter(rows.same_recipe & rows.has_reference & did)
    trn = worked.on_trainium
    sums = worked.group_by("workload").agg(
        differ=(trn & ~worked.same_size & (worked.epochs > 0)).any(),
        untold=worked.untold.min(),
        others=worked.untold.count() - 1,
        size=ratio(worked.tokens.sum(where=trn), worked.epochs.sum(where=trn)),
    )
    apart = sums.filter(sums.differ)
    told = apart.mutate(no_unit=_no_unit(apart))
    chosen = told.filter(told.no_unit.isnull())
    excess = ibis.greatest(chosen["size"].cast("float64").log10().floor() - (DIGITS - 1), 0)
    scaled = chosen.mutate(scale=ibis.literal(10.0) ** -excess)
    scaled = scaled.mutate(per_epoch=money(product(scaled["size"], scaled.scale).round(0)))
    tokens = ratio(scaled.per_epoch, scaled.scale)
    units = scaled.select("workload", "scale", "per_epoch", tokens_per_epoch=tokens)
    return beside(told.select("workload", "no_unit"), units, ["workload"])


def _no_unit(sums: ir.Table) -> ir.Value:
    others = ibis.ifelse(sums.others > 0, " (and " + sums.others.cast("string") + " more)", "")
    return ibis.cases(
        (sums.untold.notnull(), sums.untold + others),
        (sums["size"] < 1, "an epoch on Trainium is less than one token"),
    )


def _references(counted: ir.Table) -> ir.Table:
    """One (recipe, samples per epoch) a workload, taken from its GPU lineages."""
    gpu = counted.filter(counted.on_gpu)
    kinds = gpu.select(KIND).distinct()
    trn = counted.filter(counted.on_trainium)
    shared = _epochs(kinds, trn, "trn_epochs")
    own = _epochs(kinds, gpu, "gpu_epochs")
    scored = kinds.join(shared, alike(kinds, shared, KIND)).select(kinds, shared.trn_epochs)
    scored = scored.join(own, alike(scored, own, KIND)).select(scored, own.gpu_epochs)
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
    best = scored.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank == 0)
    return best.select(
        "workload",
        reference_recipe="recipe",
        reference_size="samples_per_epoch",
        no_recipe="recipes_differ",
        no_size="sizes_differ",
        has_reference=ibis.literal(True),
    )


def _epochs(kinds: ir.Table, lineages: ir.Table, name: str) -> ir.Table:
    """Epochs of `lineages` that compare with each kind."""
    whole = lineages.filter(~lineages.recipes_differ & ~lineages.sizes_differ)
    work = whole.select(
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
    return matched.group_by(KIND).agg(**{name: ibis.coalesce(matched.done.sum(), 0)})


def _same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, near.fill_null(False) | (given.isnull() & reference.isnull()))

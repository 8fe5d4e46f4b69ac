"""Which kinds of work a workload does, and of which kind each of its lineages is (METHOD §3.4).

A kind is a workload's recipe and samples per epoch (±1 %) that GPU lineages did; unset equals
unset. Kind 0 is the main one; a further kind (1, 2, …) is used where enough GPU lineages qualify
for a baseline of its own and Trainium did it too (`done_on_both`). So a workload has several kinds
only where each can be measured against its own.

Kind 0 is of a recipe that was done on both, the one of most Trainium epochs, whatever their size,
for tokens may compare them; of its sizes one that was done on both, the one of most GPU epochs.
Lineages of several recipes or sizes make a kind only where no other does. The first kind of each
recipe `leads`: tokens may make all of the recipe that kind. A quote in the config is for kind 0,
which then is the one of most GPU epochs: what it was asked for does not depend on what Trainium
did.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO
from models.contract.rules.lineage_qualifies import qualifies

LINE = ["workload", "lineage"]
RECIPE = ["workload", "leader"]
KIND = ("workload", "recipe", "samples_per_epoch", "recipes_differ", "sizes_differ")
TOLERANCE = 0.01


def done_on_both(
    lineages: ir.Table, settings: Settings, where: ir.BooleanValue | None = None
) -> ir.BooleanValue:
    """Whether enough of some lineages qualify on GPU, and one of them ran on Trainium.

    This decides whether a workload has several kinds of work. An aggregate over `lineages`, or
    over those of them `where` something holds.
    """
    enough = lineages.qualifies.sum(where=where) >= settings.baseline.min_runs
    return enough & lineages.on_trainium.any(where=where)


def kinds_of_work(lineages: ir.Table, settings: Settings) -> ir.Table:
    """Numbers the kinds that GPU lineages did: `workload`, `kind`, what it is, and `leads`.

    Of kinds of several recipes or sizes only kind 0 is ever used.
    """
    quoted = settings.baseline.method == "fixed"
    scored = _scored(lineages, settings)
    scores = ("gpu_of_recipe",) if quoted else ("recipe_on_both", "trn_of_recipe", "on_both")
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
    """Lineages that enter cost per epoch, with `qualifies` and `sizes_differ`.

    `mixed`: their runs or samples state several recipes, or several sizes.
    """
    rows = lineage_facts.filter(lineage_facts.counted)
    rows = rows.mutate(
        sizes_differ=~same_size(rows.most_size, rows.least_size), qualifies=qualifies(rows)
    )
    return rows.mutate(mixed=rows.recipes_differ | rows.sizes_differ)


def same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    """Whether samples per epoch are within 1 % of the reference; unset equals unset."""
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, ibis.coalesce(near, given.isnull() & reference.isnull()))


def with_kinds(lineages: ir.Table, kinds: ir.Table, settings: Settings) -> ir.Table:
    """Adds to the `counted` lineages the kind that each is of, and the first kind of its recipe.

    `has_reference`: the workload has GPU work. `of_kind`: null where its kind is not done on both.
    `leader`: the first kind of the recipe; null where GPU work has no such. `same_recipe` and
    `same_size`: as the leader. `silent`: Trainium work that never reported an epoch. `nearest`: the
    kind whose baseline shows what the lineage would be worth where it is of none.
    """
    workloads = kinds.select("workload", has_reference=ibis.literal(True)).distinct()
    rows = left_join(lineages, workloads, ["workload"])
    rows = left_join(rows, _of_kind(rows, kinds, settings), LINE)
    rows = _led(rows, kinds.filter(kinds.leads))
    led = ibis.window(group_by=RECIPE)
    own = (rows.of_kind == rows.leader).any().over(led)
    further = cast(ir.BooleanValue, done_on_both(rows, settings).over(led))
    return rows.mutate(
        silent=~rows.reports_epochs & rows.on_trainium,
        nearest=ibis.ifelse(own, rows.leader, 0),
        same_recipe=((rows.leader == 0) | further).fill_null(False) & rows.leader.notnull(),
        same_size=same_size(rows.samples_per_epoch, rows.led_size)
        & ~rows.sizes_differ
        & ~rows.led_sizes_differ.fill_null(False),
    )


def _scored(lineages: ir.Table, settings: Settings) -> ir.Table:
    """Each kind with its lineages' epochs, and whether it, or its recipe, is done on both."""
    kinds = lineages.filter(lineages.on_gpu & lineages.reports_epochs).select(*KIND).distinct()
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
    same = same_size(rows.size_, rows.samples_per_epoch)
    sums = rows.group_by(KIND).agg(
        trn_of_recipe=rows.trn.sum(),
        gpu_of_recipe=rows.gpu.sum(),
        gpu_epochs=rows.gpu.sum(where=same),
        recipe_on_both=done_on_both(rows, settings),
        on_both=done_on_both(rows, settings, same),
    )
    known = {name: sums[name].fill_null(False) for name in ("recipe_on_both", "on_both")}
    return sums.mutate(**known)


def _of_kind(lineages: ir.Table, kinds: ir.Table, settings: Settings) -> ir.Table:
    """`workload`, `lineage`, `of_kind`: the first kind that a lineage is of, if done on both."""
    whole = lineages.filter(~lineages.mixed)
    rows = whole.join(
        kinds.select("workload", "kind", recipe_="recipe", size_="samples_per_epoch"),
        "workload",
    )
    rows = rows.filter(
        rows.recipe.identical_to(rows.recipe_) & same_size(rows.samples_per_epoch, rows.size_)
    )
    of = rows.group_by(*LINE, "on_trainium", "qualifies").agg(of_kind=rows.kind.min())
    same = ibis.window(group_by=["workload", "of_kind"])
    of = of.mutate(on_both=done_on_both(of, settings).over(same))
    return of.filter(of.on_both).select(*LINE, "of_kind")


def _led(rows: ir.Table, leaders: ir.Table) -> ir.Table:
    """Adds the `leader` of each row's recipe, and its size."""
    leaders = leaders.select(
        led_workload="workload",
        led_recipe="recipe",
        led_size="samples_per_epoch",
        led_sizes_differ="sizes_differ",
        leader="kind",
    )
    both = rows.left_join(
        leaders,
        [rows.workload == leaders.led_workload, rows.recipe.identical_to(leaders.led_recipe)],
    )
    return both.mutate(leader=ibis.ifelse(both.recipes_differ, None, both.leader))

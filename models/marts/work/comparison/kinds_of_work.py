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
    """Whether enough lineages qualify for a GPU baseline and at least one ran on Trainium.

    This decides whether a workload has several kinds of work. It is an aggregate over `lineages`,
    or over those for which `where` holds.
    """
    enough = lineages.qualifies.sum(where=where) >= settings.baseline.min_runs
    return enough & lineages.on_trainium.any(where=where)


def kinds_of_work(lineages: ir.Table, settings: Settings) -> ir.Table:
    """Numbers the kinds of work that each workload's GPU lineages did, the main kind first.

    A kind that mixes several recipes or sizes is used only where it is kind 0.
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
    """Keeps the lineages that enter cost per epoch, with whether they qualify for a baseline.

    `mixed` says that their runs or samples name several recipes or several sizes.
    """
    rows = lineage_facts.filter(lineage_facts.counted)
    rows = rows.mutate(
        sizes_differ=~same_size(rows.most_size, rows.least_size), qualifies=qualifies(rows)
    )
    return rows.mutate(mixed=rows.recipes_differ | rows.sizes_differ)


def same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    """Whether two numbers of samples per epoch are within 1 %; unset equals unset."""
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, ibis.coalesce(near, given.isnull() & reference.isnull()))


def with_kinds(lineages: ir.Table, kinds: ir.Table, settings: Settings) -> ir.Table:
    """Adds to lineages the kind of work that each did, and the first kind of its recipe.

    `has_reference` says that the workload has GPU work. `of_kind` is null where its kind is not
    done on both. `leader` is the first kind of the recipe; null where GPU work has no such.
    `same_recipe` and `same_size` compare it with the leader. `silent` marks Trainium work that
    never reported an epoch. `nearest` is the kind whose baseline shows what the lineage would be
    worth where it is of none.
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
    """Sums epochs of each kind of work; marks kinds done on both GPU and Trainium."""
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
    """Assigns each lineage its kind of work, where that is done on both GPU and Trainium."""
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
    """Adds the first kind of work (`leader`) of each lineage's recipe, and its epoch size."""
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

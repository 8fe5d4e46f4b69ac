"""Decides which lineages compare, and in what unit their work counts (METHOD §3.4).

Lineages compare when they share a workload, a recipe and samples per epoch (±1 %), which is a kind
of work (`kinds_of_work`); unset equals unset. `comparability` is `comparable`, or in words what
differs from the GPU work of its recipe, else from kind 0, whose baseline then says what it would be
worth. A lineage that does not compare is left out whole, on either side. A Trainium lineage that
reported no epochs says nothing of its kind, and its cost counts. A lineage whose runs, or samples,
state several recipes or sizes compares with nothing. Where nothing ran on GPU there is nothing to
compare with (null); but a quote is for one kind of work, so of several on Trainium none is known to
be it.

Where a recipe is compared per token (`token_units`), its first kind is all of it. `work`, and
`work_to_target` until the target loss, are in a unit of which `per_epoch` make an epoch: epochs
(1), or a round number of tokens.
"""

from __future__ import annotations

import operator

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import product, zero_if_null
from models.contract.rules.kinds_of_work import KIND
from models.marts.work.comparison.kinds_of_work import (
    RECIPE,
    counted,
    kinds_of_work,
    same_size,
    with_kinds,
)
from models.marts.work.comparison.token_units import token_units

LINE = ["workload", "lineage"]
FACTS = (
    "members", "recipe", "samples_per_epoch", "recipes_differ", "sizes_differ", "mixed",
    "reports_epochs", "on_trainium", "qualifies", "epochs", "tokens", "epochs_to_target",
    "tokens_to_target",
)  # fmt: skip


@step(
    grain="workload × lineage, of those in cost per epoch",
    units="`work` in a unit of which `per_epoch` make an epoch: epochs, or a round number of "
    "tokens",
    nulls="comparability: the workload has no GPU side; tokens_per_epoch, scale: compared per "
    "epoch; work_to_target: target loss not reached",
    method="§3.4",
    whose="run",
)
def comparable(lineage_facts: ir.Table, token_counts: ir.Table, settings: Settings) -> ir.Table:
    """Gives each lineage its kind of work, whether it compares, and its work in one unit.

    `kind_recipe` and `kind_size` (samples per epoch) say what the kind is.
    """
    lineages = counted(lineage_facts).select(*LINE, *FACTS)
    kinds = kinds_of_work(counted(lineage_facts), settings)
    rows = left_join(with_kinds(lineages, kinds, settings), token_counts, LINE)
    rows = left_join(rows, token_units(rows), RECIPE)
    per_token = rows.tokens_per_epoch.notnull()
    first = (rows.silent | ((rows.leader == 0) & rows.same_size)).fill_null(False)
    own = ibis.ifelse(per_token, rows.leader, ibis.ifelse(first, 0, rows.of_kind))
    rows = rows.mutate(compares=own.notnull(), kind=ibis.coalesce(own, rows.nearest))
    what = kinds.select(*KIND, kind_recipe="recipe", kind_size="samples_per_epoch")
    rows = left_join(rows, what, KIND)
    return rows.select(
        *LINE,
        "kind",
        "kind_recipe",
        "kind_size",
        "no_unit",
        comparability=_comparability(rows, settings),
        tokens_per_epoch=ibis.ifelse(per_token, rows.tokens_per_epoch, None),
        scale=ibis.ifelse(per_token, rows.scale, None),
        per_epoch=ibis.ifelse(per_token, rows.per_epoch, 1),
        work=ibis.ifelse(per_token, product(zero_if_null(rows.tokens), rows.scale), rows.epochs),
        work_to_target=ibis.ifelse(
            per_token, product(rows.tokens_to_target, rows.scale), rows.epochs_to_target
        ),
    )


def _comparability(rows: ir.Table, settings: Settings) -> ir.Value:
    """Returns `comparable`, or in words what differs; null without GPU work to compare with."""
    within = ibis.ifelse(rows.members > 1, "its runs differ in ", "its samples differ in ")
    per_token = rows.tokens_per_epoch.notnull()
    return ibis.cases(
        (rows.recipes_differ & ~rows.silent, within + "recipe"),
        (rows.sizes_differ & ~per_token, within + "samples per epoch"),
        (
            rows.has_reference.isnull(),
            _differing_work(rows) if settings.baseline.method == "fixed" else None,
        ),
        (rows.compares, "comparable"),
        (rows.same_recipe, "samples per epoch differ"),
        else_="recipe differs",
    )


def _differing_work(rows: ir.Table) -> ir.Value:
    """Says in what a workload's Trainium runs differ; null where all do one kind of work.

    It is needed where a quote is the baseline, because the quote does not say for which kind of
    work it was given.
    """
    worked = rows.on_trainium & (rows.epochs > 0)
    recipe, size = rows.recipe.fill_null(""), rows.samples_per_epoch.fill_null(0)
    every = ibis.window(group_by="workload")

    def ends(given: ir.Value) -> list[ir.Value]:
        trained = ibis.ifelse(worked, given, None)
        return [trained.min().over(every), trained.max().over(every)]

    least, most = ends(size)
    return ibis.cases(
        (rows.silent, None),
        (operator.ne(*ends(recipe)), "recipe differs"),
        (~same_size(most, least), "samples per epoch differ"),
    )

"""How many tokens make an epoch, for recipes whose epochs differ in size (METHOD §3.4).

One row per workload × recipe (by its first kind, the `leader`). Where Trainium work differs from
the GPU work in samples per epoch alone, and every lineage of the recipe that did any work has
usable tokens (`token_counts`), an epoch of its baseline is `tokens_per_epoch` tokens: what one is
on Trainium (tokens ÷ epochs, to nine digits, of its settled lineages), kept as `per_epoch` ÷
`scale`. Otherwise `no_unit` says in words what is missing. Example: 1.5 trillion tokens in 300
epochs on Trainium make 5,000,000,000 tokens an epoch: `per_epoch` 500,000,000 at a `scale` of 0.1.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import money, product, ratio
from models.marts.work.comparison.kinds_of_work import RECIPE

DIGITS = 9
"""Of the tokens that make an epoch: dollars × these stay within DECIMAL(38, 9)."""


def token_units(rows: ir.Table) -> ir.Table:
    """Computes the tokens of an epoch for each recipe whose epoch sizes differ, or why none.

    Returns `workload` and `leader`, and either the reason `no_unit` or `tokens_per_epoch`,
    `per_epoch` and `scale`.
    """
    did = (rows.epochs > 0) | (rows.tokens > 0)
    worked = rows.filter(rows.same_recipe & did)
    trn = worked.on_trainium
    sums = worked.group_by(RECIPE).agg(
        differ=(trn & ~worked.same_size & worked.of_kind.isnull() & (worked.epochs > 0)).any(),
        unusable=worked.unusable.min(),
        others=worked.unusable.count() - 1,
        size=ratio(worked.tokens.sum(where=trn), worked.epochs.sum(where=trn)),
    )
    apart = sums.filter(sums.differ)
    judged = apart.mutate(no_unit=_no_unit(apart))
    chosen = judged.filter(judged.no_unit.isnull())
    excess = ibis.greatest(chosen["size"].cast("float64").log10().floor() - (DIGITS - 1), 0)
    scaled = chosen.mutate(scale=ibis.literal(10.0) ** -excess)
    scaled = scaled.mutate(per_epoch=money(product(scaled["size"], scaled.scale).round(0)))
    tokens = ratio(scaled.per_epoch, scaled.scale)
    units = scaled.select(*RECIPE, "scale", "per_epoch", tokens_per_epoch=tokens)
    return left_join(judged.select(*RECIPE, "no_unit"), units, RECIPE)


def _no_unit(sums: ir.Table) -> ir.Value:
    """Says in words why a recipe's runs cannot be compared per token; null where they can."""
    others = ibis.ifelse(sums.others > 0, " (and " + sums.others.cast("string") + " more)", "")
    return ibis.cases(
        (sums.unusable.notnull(), sums.unusable + others),
        (sums["size"] < 1, "an epoch on Trainium is less than one token"),
    )

"""Determines in which units the work of each lineage of runs can be counted (METHOD §3.4).

In epochs if it reports them and its samples per epoch are within 1 % of those of most of the kind's
GPU cost (of its Trainium cost if nothing ran on GPU); unset equals unset. In tokens if it reports
tokens that count the same work as its epochs (`token_counter_checks`). In samples if it reports
samples, or epochs with samples per epoch. Each run of the lineage must fulfil this.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, product, zero_if_null
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.lineage_qualifies import qualifies
from models.contract.rules.work.units_of_work import MEASURES, SIZE, same_size
from models.contract.schema import NUMBER
from models.contract.units import EPOCH, SAMPLES, TOKENS, UNITS
from models.marts.work.comparison.least_qualifying_work import FIT, least_qualifying_work


def units_of_lineages(lineages: ir.Table) -> ir.Table:
    """Lists each lineage of runs once per unit: its work, if this is countable, if it qualifies.

    `lineages` are those that count, from `with_kinds`. `least_work` is the least with which a GPU
    lineage of the kind qualifies in the unit, null where none has ended; `work_to_target` is null
    where the target loss is not reached.
    """
    rows = _with_usual_size(lineages)
    each = cast(ir.Table, ibis.union(*(_in_unit(rows, unit) for unit in UNITS)))
    each = left_join(each, least_qualifying_work(each), FIT)
    enough = qualifies(each, each.work, each.least_work.fill_null(ZERO))
    return each.mutate(qualifies=enough & each.countable & (each.work > 0))


def _in_unit(rows: ir.Table, unit: str) -> ir.Table:
    """Returns all lineages of runs with their work in one unit, also up to the target loss."""
    measure = MEASURES[unit]
    countable = {
        EPOCH: rows.in_epochs & _of_usual_size(rows),
        TOKENS: rows.in_tokens & rows.unusable.isnull(),
        SAMPLES: rows.in_samples & rows.samples_unusable.isnull(),
    }[unit]
    return rows.mutate(
        unit=ibis.literal(unit),
        countable=countable & ~rows.recipes_differ,
        work=zero_if_null(_sized(rows[measure], unit)),
        work_to_target=_sized(_to_target(rows, measure), unit),
    )


def _sized(amount: ir.Value, unit: str) -> ir.Value:
    """Converts a count to a unit: epochs, billion tokens or million samples."""
    size = ibis.literal(SIZE[unit]).cast(NUMBER)
    return amount if unit == EPOCH else product(amount, size)


def _to_target(rows: ir.Table, measure: str) -> ir.Value:
    """Returns the work (epochs, …) of a lineage of runs when its loss reached the target."""
    if measure != "samples":
        return rows[f"{measure}_to_target"]
    derived = product(rows.epochs_to_target, rows.samples_per_epoch)
    return ibis.coalesce(rows.samples_to_target, derived)


def _with_usual_size(rows: ir.Table) -> ir.Table:
    """Adds the samples per epoch that runs of most of the recipe's GPU cost state; null if none do.

    `sized` says that the kind has lineages that report epochs, so that null is a size.
    """
    stated = rows.filter(rows.in_epochs & ~_sizes_differ(rows))
    sizes = stated.select(*KIND, size="samples_per_epoch").distinct()
    costs = stated.select(
        owner="workload", of="kind", near="samples_per_epoch", cost="cost", on_gpu="on_gpu"
    )
    same = [sizes.workload == costs.owner, sizes.kind == costs.of]
    both = sizes.join(costs, same).filter(lambda row: same_size(row.near, row["size"]))
    on_gpu = both.on_gpu & both.near.identical_to(both["size"])
    sums = both.group_by(*KIND, "size").agg(
        of_gpu=on_gpu.any(),
        gpu=zero_if_null(both.cost.sum(where=both.on_gpu)),
        all=zero_if_null(both.cost.sum()),
    )
    order = [*(ibis.desc(sums[score]) for score in ("of_gpu", "gpu", "all")), "size"]
    most = ibis.window(group_by=KIND, order_by=order)
    ranked = sums.mutate(place=ibis.row_number().over(most))
    usual = ranked.filter(ranked.place == 0).select(*KIND, usual="size")
    return left_join(rows, usual, KIND)


def _sizes_differ(rows: ir.Table) -> ir.BooleanValue:
    """Whether runs or samples of one lineage of runs state different samples per epoch."""
    return ~same_size(rows.most_size, rows.least_size)


def _of_usual_size(rows: ir.Table) -> ir.BooleanValue:
    """Whether all epochs of a lineage of runs have the samples that are usual for the recipe."""
    return same_size(rows.samples_per_epoch, rows.usual) & ~_sizes_differ(rows)


def best(units: ir.Table, *scores: str) -> ir.Table:
    """Selects each recipe's row of the unit with the highest score; further scores break ties."""
    place = ibis.cases(*((units.unit == unit, at) for at, unit in enumerate(UNITS)))
    order = [*(ibis.desc(units[score]) for score in scores), place]
    ranked = units.mutate(place=ibis.row_number().over(ibis.window(group_by=KIND, order_by=order)))
    return ranked.filter(ranked.place == 0).drop("place")

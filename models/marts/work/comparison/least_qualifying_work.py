"""Computes the least work with which a run qualifies for the GPU baseline (METHOD §5.1).

It is 0.9 epoch; in other units 10 % of the kind's cost-weighted median.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import product
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.lineage_qualifies import ENOUGH_EPOCHS, ENOUGH_OF_MEDIAN
from models.contract.schema import NUMBER
from models.contract.units import EPOCH

FIT = [*KIND, "unit"]


def least_qualifying_work(each: ir.Table) -> ir.Table:
    """Computes per recipe and unit the least work to qualify: 0.9 epoch, else 10 % of the median.

    The median is weighted by cost: the work at which, its ended GPU lineages taken by rising work,
    half of their cost is reached.
    """
    ended = each.filter(each.on_gpu & each.ended & each.countable & (each.work > 0))
    order = ibis.cumulative_window(group_by=FIT, order_by=[ended.work, ended.lineage])
    rows = ended.mutate(
        so_far=ended.cost.sum().over(order), whole=ended.cost.sum().over(ibis.window(group_by=FIT))
    )
    median = rows.work.min(where=rows.so_far * 2 >= rows.whole)
    found = rows.group_by(FIT).agg(median=median)
    tenth = product(found.median, ibis.literal(ENOUGH_OF_MEDIAN).cast(NUMBER))
    epoch = ibis.literal(ENOUGH_EPOCHS).cast(NUMBER)
    return found.select(*FIT, least_work=ibis.ifelse(found.unit == EPOCH, epoch, tenth))

"""Cuts the intervals in which jobs held machines at the charge periods of the bill."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.period_capacity import PERIOD


@step(
    grain="span × interval (held, gap, or nobody's for a reason)",
    units="since, until: UTC",
    nulls="fraction: nobody counted",
    method="§2.10.2",
    whose="run",
)
def intervals_by_period(period_capacity: ir.Table, intervals_and_gaps: ir.Table) -> ir.Table:
    """Cuts intervals and gaps at the charge periods (mostly hours) of their machine or pool.

    Of periods that are alike they are cut to the first.
    """
    every = intervals_and_gaps.rename(of_day="unit_day").drop("day")
    period_capacity = period_capacity.select("span", *PERIOD, "cost", "capacity")
    joined = period_capacity.join(
        every,
        [
            period_capacity.unit_day == every.of_day,
            every.began < period_capacity.period_to,
            every.ended > period_capacity.period_from,
        ],
    ).drop("of_day")
    joined = _with_parts_of_bill(joined)
    return joined.mutate(
        since=ibis.greatest(joined.began, joined.period_from),
        until=ibis.least(joined.ended, joined.period_to),
    ).drop("began", "ended", *PERIOD)


def _with_parts_of_bill(rows: ir.Table) -> ir.Table:
    """Converts a pod's share, or dollars, of a whole charge period to the fraction of its machine.

    A ratio, or dollars of the machine's, is a part of the capacity, not of the period's length: an
    instance of twenty minutes has a third of it.
    """
    length = rows.period_to.delta(rows.period_from, unit="second").cast("float64")
    by_cost = rows.dollars.cast("float64") / rows.cost.nullif(0.0)
    part = ibis.coalesce(rows.share.cast("float64"), by_cost) * rows.capacity / length
    fraction = ibis.ifelse(rows.of_bill, ibis.coalesce(part, rows.fraction, 0.0), rows.fraction)
    return rows.mutate(fraction=fraction).drop("cost", "dollars", "share", "of_bill", "capacity")

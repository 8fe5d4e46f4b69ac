"""Lists when jobs come and go on shared machines and pools."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step

ENDLESS = "9999-12-31"
"""After the last move of a day comes none."""


@step(
    grain="day of a unit × moment at which somebody comes or goes, and its midnight",
    units="at, then: UTC",
    nulls="none",
    method="§2.10.2",
    whose="company",
)
def comings_and_goings(intervals_and_gaps: ir.Table) -> ir.Table:
    """Lists each moment at which a job or gap begins or ends on a machine or pool, and the next."""
    midnight = intervals_and_gaps.day.cast("timestamp")
    every = ibis.union(
        *(
            intervals_and_gaps.select("unit_day", at=moment)
            for moment in (intervals_and_gaps.began, intervals_and_gaps.ended, midnight)
        )
    ).distinct()
    order = ibis.window(group_by=["unit_day"], order_by=[every["at"]])
    then = every["at"].lead().over(order)
    return every.mutate(then=then.fill_null(ibis.literal(ENDLESS).cast("timestamp")))

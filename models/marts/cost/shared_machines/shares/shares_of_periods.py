"""Divides machine time by charge period: among who held it, gaps around jobs, and nobody."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.cost.shared_machines.fractions_held import RUN
from models.marts.cost.shared_machines.intervals_and_gaps import GAP
from models.marts.cost.shared_machines.shares.filled_gaps import filled_gaps
from models.marts.cost.shared_machines.shares.nobodys_time import nobodys_time
from models.marts.cost.shared_machines.shares.scaled_to_capacity import (
    SPAN,
    in_spans,
    scaled_to_capacity,
)
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order

OF_SPAN = ("span", "unit_day", "period_count", "cluster", "over", "daily")
HELD, UNKNOWN = "held", "unknown"
"""What `holding` says: a known run or workload held it, or a job of an unknown owner.

The rest is nobody's, for a reason (`nobodys_time`).
"""


@step(
    grain="span × holding × owner",
    units="part: seconds of the capacity of one period; over: seconds that jobs held beyond it",
    nulls="owner: nobody; cluster: that of the owner; fraction: the only part",
    method="§2.10.3, §2.10.4, §2.10.6",
    whose="run",
)
def shares_of_periods(
    period_capacity: ir.Table, seconds_held: ir.Table, owner_numbers: ir.Table
) -> ir.Table:
    """Computes what fraction of a machine's charge period each owner held, and what was idle.

    What was held is scaled to the capacity, then gaps are filled in order of time. `fraction` is
    the part of all of the span's, `largest` the one that bears what rounding leaves.
    """
    period_capacity = scaled_to_capacity(period_capacity, seconds_held)
    held = in_spans(seconds_held.filter(seconds_held.role == RUN), period_capacity)
    held = held.mutate(part=held.seconds * held.scale)
    filled = filled_gaps(seconds_held.filter(seconds_held.role == GAP), period_capacity)
    jobs = held.select("span", "owner", "part").union(filled.select("span", "owner", "part"))
    jobs = jobs.group_by("span", "owner").agg(part=sum_in_any_order(jobs.part))
    nobody = nobodys_time(seconds_held, period_capacity, jobs)
    known = left_join(jobs, owner_numbers.select("owner", "known"), ["owner"])
    jobs = known.mutate(holding=ibis.ifelse(known.known, HELD, UNKNOWN))
    columns = ["span", "holding", "owner", "part"]
    every = jobs.select(columns).union(nobody.select(columns))
    every = every.filter(every.part > 0)
    return with_fractions(every, SPAN).join(period_capacity.select(OF_SPAN), "span")


def with_fractions(rows: ir.Table, whole: list[str]) -> ir.Table:
    """Adds to each part its `fraction` of its whole (null if alone) and if it is the `largest`.

    The largest bears the residue of rounding; of equal ones the first by holding and owner.
    """
    sums = rows.group_by(whole).agg(number=rows.count(), total=sum_in_any_order(rows.part))
    rows = rows.join(sums, whole)
    alone = rows.filter(rows.number == 1).mutate(fraction=ibis.null("float64"), largest=True)
    several = rows.filter(rows.number > 1)
    order = [ibis.desc(several.part), several.holding, several.owner]
    place = ibis.row_number().over(ibis.window(group_by=whole, order_by=order))
    several = several.mutate(fraction=several.part / several.total, largest=place == 0)
    return alone.union(several).drop("number", "total")

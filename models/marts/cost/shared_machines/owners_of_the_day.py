"""Sums who held a machine over a day, for bill lines of a time in which the bill has no hours."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.exact_sum import exact_sum
from models.marts.cost.shared_machines.shares import HELD, UNKNOWN, with_fractions

DAY = ["unit_day", "beside"]
"""What a line without a span is divided by; `beside` is whether it is a volume's or traffic's."""


@step(
    grain="day of a unit × beside × holding × owner",
    units="part: seconds of the capacity of the day",
    nulls="owner: nobody; fraction: the only part",
    method="§2.10.3, §2.10.7",
    whose="run",
)
def owners_of_the_day(cut_lines: ir.Table, shares: ir.Table) -> ir.Table:
    """Computes what fraction of a machine's day each owner held, where lines are divided by days.

    Volumes and traffic are divided among owners alone: nobody's time bears none of them.
    """
    days = cut_lines.filter(cut_lines.span.isnull()).select("unit_day").distinct()
    rows = shares.semi_join(days, "unit_day").select(
        "unit_day", "cluster", "holding", "owner", "part", "alike", "over", "daily"
    )
    owned = rows.filter(rows.holding.isin((HELD, UNKNOWN)))
    every = rows.mutate(beside=False).union(owned.mutate(over=0.0, daily=False, beside=True))
    sums = every.group_by(*DAY, "cluster", "holding", "owner").agg(
        part=exact_sum(every.part * every.alike), over=every.over.max(), daily=every.daily.any()
    )
    return with_fractions(sums, DAY)

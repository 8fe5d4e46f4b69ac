"""Sums who held a machine over a day, for bill lines of a time in which the bill has no hours.

A correction may take back hours of several days: then it is over all of them.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.shares.exact_sum import exact_sum
from models.marts.cost.shared_machines.shares.shares_of_periods import HELD, UNKNOWN, with_fractions

DAYS = ["unit_day", "further_days"]
DAY = [*DAYS, "beside"]
"""What a line without a span is divided by; `beside` is whether it is a volume's or traffic's."""


@step(
    grain="day of a unit × further days × beside × holding × owner",
    units="part: seconds of the capacity of the day, or days",
    nulls="owner: nobody; fraction: the only part",
    method="§2.10.3, §2.10.7",
    whose="run",
)
def owners_of_the_day(
    cut_lines: ir.Table, shares_of_periods: ir.Table, unit_days: ir.Table
) -> ir.Table:
    """Computes what fraction of a machine's day each owner held, where lines are divided by days.

    Volumes and traffic are divided among owners alone: nobody's time bears none of them.
    """
    days = _days(cut_lines.filter(cut_lines.span.isnull()).select(DAYS).distinct(), unit_days)
    of_days = shares_of_periods.rename(of_day="unit_day").join(days, "of_day")
    rows = of_days.select(*DAYS, "cluster", "holding", "owner", "part", "alike", "over", "daily")
    owned = rows.filter(rows.holding.isin((HELD, UNKNOWN)))
    every = rows.mutate(beside=False).union(owned.mutate(over=0.0, daily=False, beside=True))
    sums = every.group_by(*DAY, "cluster", "holding", "owner").agg(
        part=exact_sum(every.part * every.alike), over=every.over.max(), daily=every.daily.any()
    )
    return with_fractions(sums, DAY)


def _days(asked: ir.Table, unit_days: ir.Table) -> ir.Table:
    """Lists the days (`of_day`) by whose owners lines are divided: that of the line, or several."""
    one = asked.filter(asked.further_days == 0)
    several = asked.filter(asked.further_days > 0).join(unit_days, "unit_day")
    others = unit_days.select(of_day="unit_day", of_unit="unit", at_day="day")
    last = several.day + several.further_days.as_interval("D")
    near = [several.unit == others.of_unit, others.at_day >= several.day, others.at_day <= last]
    of_several = several.join(others, near)
    return one.mutate(of_day=one.unit_day).union(of_several.select(*DAYS, "of_day"))

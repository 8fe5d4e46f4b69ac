"""Computes who held a machine in the time of a volume, traffic or correction line (METHOD §2.10.7).

These are lines of a time that is no period of the bill. A correction may take back hours of a part
of a day, or of several days: its time is from its start to its end. That of volumes and traffic is
their day.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.lines.placed_lines import EVER
from models.marts.cost.shared_machines.shares.shares_of_periods import HELD, UNKNOWN, with_fractions
from models.marts.cost.shared_machines.shares.sum_in_any_order import sum_in_any_order
from models.marts.cost.shared_machines.tagged_hours import TAGGED

TIME = ["unit_day", "since", "until"]
OWNED = [*TIME, "beside"]
"""What a line without a span is divided by; `beside` is whether it is a volume's or traffic's."""


@step(
    grain="day of a unit × since × until × beside × holding × owner",
    units="part: seconds of the capacity of the time, or of its days",
    nulls="owner: nobody; fraction: the only part",
    method="§2.10.1, §2.10.3, §2.10.7",
    whose="run",
)
def owners_of_a_time(
    cut_lines: ir.Table,
    shares_of_periods: ir.Table,
    period_capacity: ir.Table,
    unit_days: ir.Table,
    tagged_hours: ir.Table,
) -> ir.Table:
    """Computes what fraction of a machine each owner held in the time of a volume or correction.

    Of a time in which the bill has no hours it is that of the whole day. Hours that bear a run's
    tag are that run's, beside those that jobs held. Volumes and traffic are divided among owners
    alone: nobody's time bears none of them. Example: of a correction from 10:00 to 13:00 the owner
    of these three hours bears all, whoever held the rest of the day.
    """
    asked = cut_lines.filter(cut_lines.span.isnull()).select(TIME).distinct()
    days = _days(asked, unit_days)
    pieces = _pieces(_spans(days, period_capacity), _tagged(days, tagged_hours))
    spans = pieces.filter(pieces.span.notnull()).select(*TIME, "span", "periods")
    shared = shares_of_periods.drop("unit_day", "period_count").join(spans, "span")
    named = pieces.filter(pieces.span.isnull())
    named = named.mutate(cluster=ibis.null("string"), holding=ibis.literal(TAGGED))
    named = named.mutate(over=0.0, daily=False)
    columns = [*TIME, "cluster", "holding", "owner", "part", "periods", "over", "daily"]
    rows = shared.select(columns).union(named.select(columns))
    owned = rows.filter(rows.holding.isin((HELD, UNKNOWN, TAGGED)))
    every = rows.mutate(beside=False).union(owned.mutate(over=0.0, daily=False, beside=True))
    sums = every.group_by(*OWNED, "cluster", "holding", "owner").agg(
        part=sum_in_any_order(every.part * every.periods),
        over=every.over.max(),
        daily=every.daily.any(),
    )
    return with_fractions(sums, OWNED)


def _days(asked: ir.Table, unit_days: ir.Table) -> ir.Table:
    """Lists the machine's days that each line's time touches; without a time the line's own day."""
    rows = asked.join(unit_days, "unit_day")
    last = (rows.until - ibis.interval(seconds=1)).cast("date")
    rows = rows.mutate(last=ibis.ifelse(rows.since == _ever(), rows.day, last))
    others = unit_days.select(of_day="unit_day", of_unit="unit", at_day="day")
    near = [rows.unit == others.of_unit, others.at_day >= rows.day, others.at_day <= rows["last"]]
    return rows.join(others, near).select(*TIME, "of_day")


def _spans(days: ir.Table, period_capacity: ir.Table) -> ir.Table:
    """Lists charge periods (like ones grouped) of a line's days, and how many lie in its time."""
    spans = period_capacity.select("span", "length", "starts", "period_count", of_day="unit_day")
    rows = days.join(spans, "of_day")
    within = cast(ir.ArrayValue, rows.starts).filter(
        lambda start: (start < rows.until) & (start + rows.length.as_interval("s") > rows.since)
    )
    return rows.select(*TIME, "span", "period_count", within=within.length())


def _tagged(days: ir.Table, tagged_hours: ir.Table) -> ir.Table:
    """Lists run-tagged machine hours of each line's days, and whether they lie in its time."""
    hours = tagged_hours.select("owner", "part", "length", "period_from", of_day="unit_day")
    rows = days.join(hours, "of_day")
    ended = rows.period_from + rows.length.as_interval("s")
    within = (rows.period_from < rows.until) & (ended > rows.since)
    return rows.select(*TIME, "owner", "part", within=within.cast("int64"))


def _pieces(spans: ir.Table, tagged: ir.Table) -> ir.Table:
    """Unites period groups and tagged hours; adds how many periods count: those in the line's time.

    Where the bill has none in it, all of its days.
    """
    none = {"owner": ibis.null("int64"), "part": ibis.null("float64")}
    one, span = ibis.literal(1, "int64"), ibis.null("int64")
    columns = [*TIME, "span", "owner", "part", "within", "period_count"]
    both = spans.mutate(**none).select(columns)
    both = both.union(tagged.mutate(period_count=one, span=span).select(columns))
    found = (both.within > 0).any().over(ibis.window(group_by=TIME))
    both = both.mutate(periods=ibis.ifelse(found, both.within, both.period_count))
    return both.filter(both.periods > 0)


def _ever() -> ir.Value:
    return ibis.literal(EVER[0], "timestamp(6)")

"""Sums how long each machine or pool ran in the periods of the bill, alike ones in one row."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step

PERIOD = ("unit_day", "period_from", "period_to")
KEYS = ("unit_day", "period_from", "length")
HOUR = 3600
"""Seconds."""


@step(
    grain="span: periods of a day of a unit (machine or pool) that are divided alike",
    units="capacity: seconds of one period; of a pool, of all its machines together",
    nulls="none",
    method="§2.10.1, §2.10.3",
    whose="company",
)
def period_capacity(
    line_periods: ir.Table, comings_and_goings: ir.Table, unit_days: ir.Table
) -> ir.Table:
    """Sums the billed seconds of each machine or pool by charge period; alike periods are one row.

    Periods in which as much ran and nobody came or went since the one before are divided once:
    `starts` lists them, `period_count` counts them, `period_from` and `period_to` are the first's.
    `cost` is their effective cost, by which pods without counts of accelerators are weighed. `span`
    is a number, by which all that follows names them.

    Two lines of half an hour each, of which a plan covers one, are one hour. Adjustments have no
    time. Example: an instance that started at 10:40 has 1,200 seconds in its period of 10:00.
    """
    rows = _in_order(_periods(line_periods), comings_and_goings)
    same = [name for name in rows.columns if name != "period_from"]
    sums = rows.group_by(same).agg(
        period_from=rows.period_from.min(),
        period_count=rows.count(),
        starts=rows.period_from.collect(),
    )
    sums = sums.mutate(span=ibis.row_number()).join(
        unit_days.select("unit_day", "cluster", "delivered"), "unit_day"
    )
    return sums.select(
        "span", *PERIOD[:2], "length", "starts", "period_count", "cluster", "daily", "delivered",
        period_to=(sums.period_from + sums.length.as_interval("s")).cast("timestamp"),
        capacity=sums.capacity.cast("float64"),
        cost=sums.cost.cast("float64"),
    )  # fmt: skip


def _periods(lines: ir.Table) -> ir.Table:
    rows = lines.filter(lines.used)
    sums = rows.group_by(*KEYS).agg(
        capacity=rows.hours.sum() * HOUR,
        cost=rows.effective_cost.sum(),
    )
    return sums.filter(sums.capacity > 0).mutate(daily=sums.length > HOUR)


def _in_order(periods: ir.Table, moves: ir.Table) -> ir.Table:
    """Adds when a job last came or went, and the start of a period within which one does."""
    named = moves.rename(of_day="unit_day")
    rows = periods.left_join(
        named,
        [
            periods.unit_day == named.of_day,
            periods.period_from >= named["at"],
            periods.period_from < named.then,
        ],
    )
    ended = rows.period_from + rows.length.as_interval("s")
    moved = ibis.ifelse(rows.then < ended, rows.period_from, None)
    return rows.select(*periods.columns, since="at", moved=moved)

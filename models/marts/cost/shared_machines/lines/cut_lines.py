"""Cuts bill lines of shared machines where the shares of their machine or pool change."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.schema import COST_COLUMNS
from models.marts.cost.shared_machines.period_capacity import KEYS

AMOUNTS = ("quantity", *COST_COLUMNS)
OF_LINE = ("line", "kind", *AMOUNTS, "first_hour", "last_hour")
"""Columns of a line that its parts keep."""
PLACED = ("machine", "beside", "unit_day", "since", "until", "unit_cluster", "whole")


@step(
    grain="line × span",
    units="amounts: those of one period; times: how many periods",
    nulls="span: the bill has no hours of the machine in that time; unit_day as placed_lines",
    method="§2.10.1",
    whose="company",
)
def cut_lines(
    placed_lines: ir.Table,
    line_periods: ir.Table,
    period_capacity: ir.Table,
    tagged_hours: ir.Table,
) -> ir.Table:
    """Splits bill lines of shared machines where the shares of the machine change.

    A span is a group of periods with equal shares: it stays one row, `times` is their number.
    Periods in which the bill has no hours are a cut without a span. Lines that another bill lends
    are left out: they are divided with that bill. On a day with hours of a run's tag each period of
    a correction is a cut without a span: it is of all hours in that time.

    Example: a line of 24 hours of a machine that changed hands at noon is two cuts of 12 times.
    """
    own = placed_lines.filter(~placed_lines.lent)
    by_time = (~own.used & own.period_from.notnull()).fill_null(False)
    by_time &= own.unit_day.isin(tagged_hours.unit_day).fill_null(False)
    parts = (
        _by_span(own.filter(~by_time), line_periods, period_capacity),
        _by_period(own.filter(by_time)),
    )
    both = ibis.union(*(part.select(*OF_LINE, *PLACED, "span", "times") for part in parts))
    return both.mutate(cut=ibis.row_number())


def _by_span(own: ir.Table, periods: ir.Table, capacity: ir.Table) -> ir.Table:
    named = capacity.select("span", "unit_day", "length", period_from=capacity.starts.unnest())
    found = periods.left_join(named, [*KEYS])
    last = found.period_from.max() + found.length.max().as_interval("s")
    cuts = found.group_by("line", "span").agg(
        of_cut=found.count(), first=found.period_from.min(), last=last.cast("timestamp")
    )
    rows = own.left_join(cuts.rename(cut_line="line"), own.line == cuts.line)
    hour = rows.periods.notnull() & rows["first"].notnull() & rows.first_hour.notnull()
    return rows.mutate(
        first_hour=ibis.ifelse(hour, rows["first"], rows.first_hour),
        last_hour=ibis.ifelse(hour, rows["last"], rows.last_hour),
        times=ibis.coalesce(rows.of_cut, rows.periods.length(), 1),
    )


def _by_period(own: ir.Table) -> ir.Table:
    starts = cast(ir.ArrayValue, ibis.coalesce(own.periods, ibis.array([own.period_from])))
    rows = own.mutate(start=starts.unnest())
    later = rows.start.delta(rows.period_from, unit="second").as_interval("s")
    times = ("since", "until", "first_hour", "last_hour")
    moved = {name: (rows[name] + later).cast(rows[name].type()) for name in times}
    return rows.mutate(**moved, span=ibis.null("int64"), times=ibis.literal(1, "int64"))

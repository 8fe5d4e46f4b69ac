"""Cuts bill lines of shared machines where the shares of their machine or pool change."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.schema import COST_COLUMNS
from models.marts.cost.shared_machines.period_capacity import KEYS

AMOUNTS = ("quantity", *COST_COLUMNS)
OF_LINE = ("line", "kind", *AMOUNTS, "first_hour", "last_hour")
"""Columns of a line that its parts keep."""


@step(
    grain="line × span",
    units="amounts: those of one period; times: how many periods",
    nulls="span: the bill has no hours of the machine in that time; unit_day as placed_lines",
    method="§2.10.1",
    whose="company",
)
def cut_lines(
    placed_lines: ir.Table, line_periods: ir.Table, period_capacity: ir.Table
) -> ir.Table:
    """Splits bill lines of shared machines where the shares of the machine change.

    A span is a group of periods with equal shares: it stays one row, `times` is their number.
    Periods in which the bill has no hours are a cut without a span. Lines that another bill lends
    are left out: they are divided with that bill. Example: a line of 24 hours of a machine that
    changed hands at noon is two cuts of 12 times.
    """
    named = period_capacity.select(
        "span", "unit_day", "length", period_from=period_capacity.starts.unnest()
    )
    found = line_periods.left_join(named, [*KEYS])
    last = found.period_from.max() + found.length.max().as_interval("s")
    cuts = found.group_by("line", "span").agg(
        of_cut=found.count(), first=found.period_from.min(), last=last.cast("timestamp")
    )
    own = placed_lines.filter(~placed_lines.lent)
    rows = own.left_join(cuts.rename(cut_line="line"), own.line == cuts.line)
    hour = rows.periods.notnull() & rows["first"].notnull() & rows.first_hour.notnull()
    timed = rows.mutate(
        first_hour=ibis.ifelse(hour, rows["first"], rows.first_hour),
        last_hour=ibis.ifelse(hour, rows["last"], rows.last_hour),
    )
    return timed.select(
        *OF_LINE, "machine", "beside", "unit_day", "since", "until", "unit_cluster", "whole",
        "span",
        cut=ibis.row_number(),
        times=ibis.coalesce(timed.of_cut, timed.periods.length(), 1),
    )  # fmt: skip

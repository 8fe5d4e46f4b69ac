"""Lists by day which job held what fraction of a machine or pool, and the idle gaps around jobs."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step

GAP = "gap"


@step(
    grain="interval (held, gap, or nobody's for a reason) of a unit that the bill has that day",
    units="began, ended: UTC",
    nulls="fraction: nobody counted; place: a machine that is known by itself",
    method="§2.10.2, §2.10.4",
    whose="run",
)
def intervals_and_gaps(fractions_held: ir.Table, gaps: ir.Table, unit_days: ir.Table) -> ir.Table:
    """Lists per day of a machine or pool the intervals (held or idle for a reason) and job gaps."""
    held = fractions_held.mutate(role=fractions_held.reason)
    every = held.union(gaps.mutate(role=ibis.literal(GAP)).select(held.columns))
    days = unit_days.select("unit_day", unit_of="unit", day_of="day")
    rows = every.join(days, [every.unit == days.unit_of, every.date == days.day_of])
    return rows.select(
        "unit_day", "place", "role", "fraction", "processors", "accelerators", "share", "dollars",
        "of_bill", "owner", "began", "ended", day="date",
    )  # fmt: skip

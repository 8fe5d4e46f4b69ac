"""How long each machine, or pool of machines, ran in each period of the bill."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step

PERIOD = ("unit", "day", "period_from", "period_to")
HOUR = 3600
"""Seconds."""


@step(
    grain="span: unit (machine or pool) × period of the bill",
    units="seconds; of a pool, of all its machines together",
    nulls="none",
    method="§2.10.1, §2.10.3",
    whose="company",
)
def periods(placed_lines: ir.Table) -> ir.Table:
    """Sums the hours that the bill has of each unit in each period, as seconds (`capacity`).

    `cost` is their effective cost, by which pods without counts of accelerators are weighed. `span`
    is a number, by which all that follows names unit and period.

    Two lines of half an hour each, of which a plan covers one, are one hour. Adjustments have no
    time. Example: an instance that started at 10:40 has 1,200 seconds in its period of 10:00.
    """
    rows = placed_lines.filter(
        placed_lines.of_unit.notnull() & ~placed_lines.whole & placed_lines.used
    )
    rows = rows.mutate(unit=rows.of_unit)
    length = rows.period_to.epoch_seconds() - rows.period_from.epoch_seconds()
    sums = rows.group_by(*PERIOD).agg(
        cluster=rows.unit_cluster.max(),
        capacity=(rows.hours.sum() * HOUR).cast("float64"),
        daily=(length > HOUR).any(),
        cost=rows.effective_cost.sum().cast("float64"),
    )
    return sums.filter(sums.capacity > 0).mutate(span=ibis.row_number())

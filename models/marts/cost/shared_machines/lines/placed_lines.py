"""Assigns each bill line of a shared machine to the numbered day of the machine or pool."""

from __future__ import annotations

from datetime import datetime

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import same_keys
from models.contract.money import ratio
from models.contract.schema import COST_COLUMNS, NUMBER
from models.marts.cost.shared_machines.lines.machine_or_pool import PLACE

OF_LINE = (
    "line", "kind", "machine", "period_from", "period_to", "periods", "first_hour", "last_hour",
    "quantity", *COST_COLUMNS,
)  # fmt: skip
EVER = datetime(1, 1, 1), datetime(9999, 1, 1)  # noqa: DTZ001 - UTC


@step(
    grain="line of a machine in one period, as billed",
    units="hours; since, until: UTC, the time that a correction takes back",
    nulls="unit_day: no allocation is about the machine; hours: not a unit of time; since, until: "
    "never; `EVER` of what is no correction of hours",
    method="§2.10",
    whose="company",
)
def placed_lines(due_lines: ir.Table, machine_or_pool: ir.Table, unit_days: ir.Table) -> ir.Table:
    """Adds to each bill line the number of its machine's (or pool's) day, its cluster and hours."""
    numbers = unit_days.select("unit_day", unit_of="unit", day_of="day")
    of_day = [machine_or_pool.of_unit == numbers.unit_of, machine_or_pool.day == numbers.day_of]
    numbered = machine_or_pool.left_join(numbers, of_day)
    named = numbered.rename(**{f"{name}_at": name for name in PLACE})
    rows = due_lines.join(named, same_keys(due_lines, named, PLACE, "_at"))
    return rows.select(
        *OF_LINE, "lent", "used", "beside", "unit_day", "unit_cluster", "whole",
        hours=_hours(rows), **_time(rows),
    )  # fmt: skip


def _time(lines: ir.Table) -> dict[str, ir.Value]:
    """Returns the time that a correction takes back (`since`, `until`); all time on other lines.

    Volumes and traffic have no period: they follow the day.
    """
    corrects = ~lines.used & (lines.period_to > lines.period_from).fill_null(False)
    times = zip(("since", "until"), (lines.period_from, lines.period_to), EVER, strict=True)
    return {
        name: ibis.ifelse(corrects, time, ibis.literal(ever, "timestamp(6)"))
        for name, time, ever in times
    }


def _hours(lines: ir.Table) -> ir.Value:
    whole = lines.to_the_hour == 1
    return ibis.ifelse(whole, lines.quantity, ratio(lines.quantity, lines.to_the_hour)).cast(NUMBER)

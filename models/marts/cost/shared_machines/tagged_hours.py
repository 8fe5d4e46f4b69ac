"""Lists the hours of machines that bear a run's tag, beside those that jobs divide."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.owner_numbers import owners_of
from models.marts.cost.shared_machines.period_capacity import HOUR, KEYS

TAGGED = "tagged"
"""What `holding` says, while machines are divided, of parts of a run by its tag."""


@step(
    grain="day of a unit × period of the bill × owner",
    units="part: billed seconds; length: seconds",
    nulls="none",
    method="§2.10.1, §2.10.7",
    whose="run",
)
def tagged_hours(placed_lines: ir.Table, due_kinds: ir.Table, owner_numbers: ir.Table) -> ir.Table:
    """Sums billed seconds that bear a run's tag, by machine or pool, charge period and run.

    They are no capacity that jobs divide, but count where what bears no run tag is divided.
    """
    owners = owners_of(due_kinds.filter(due_kinds.run.notnull()), owner_numbers)
    rows = placed_lines.filter(placed_lines.unit_day.notnull()).join(owners, "kind")
    starts = cast(ir.ArrayValue, ibis.coalesce(rows.periods, ibis.array([rows.period_from])))
    length = rows.period_to.delta(rows.period_from, unit="second")
    rows = rows.select("unit_day", "owner", "hours", length=length, period_from=starts.unnest())
    return rows.group_by(*KEYS, "owner").agg(part=(rows.hours.sum() * HOUR).cast("float64"))

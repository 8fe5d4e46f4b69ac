"""Hours of runs that a commitment or a reservation covered.

Grain: commitment × month × date × workload × run, settled days; instance-hours, less those that
were taken back. A reservation covers beside a plan: such hours stand under both. `owner` names the
row, for sharing out by hours.
"""

from __future__ import annotations

import ibis.expr.types as ir


def covered_hours(amortised: ir.Table, work_daily: ir.Table) -> ir.Table:
    """`commitment`, `month`, `date`, `workload`, `run`, `hardware`, `hours`, `owner`."""
    rows = amortised.mutate(month=amortised.date.truncate("M")).filter(amortised.settled)
    used = rows.filter((rows.attribution == "direct") & (rows.instance_hours != 0))
    keys = ["month", "date", "workload", "run", "instance_hours"]
    plans = used.filter(used.commitment.notnull()).select(*keys, "commitment")
    held = used.filter(used.reservation.notnull()).select(*keys, commitment="reservation")
    hours = plans.union(held)
    hours = (
        hours.group_by("commitment", "month", "date", "workload", "run")
        .agg(hours=hours.instance_hours.sum())
        .filter(lambda row: row.hours > 0)
    )
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    known = hours.join(kinds, ["workload", "run"])
    return known.mutate(owner=known.date.cast("string") + " " + known.workload + " " + known.run)

"""Hours of runs that a commitment or a reservation covered.

Grain: commitment × month × date × workload × run, settled days; instance-hours, less those that
were taken back. Trainium hours under the workload tag alone stand beside the runs' (`run` empty),
from cutover on: they are the workload's too, so that a forgotten run tag sheds no idle commitment
(METHOD §6). A reservation covers beside a plan: such hours stand under both. `owner` names the row,
for sharing out by hours.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join


def covered_hours(committed: ir.Table, work_daily: ir.Table, cutovers: ir.Table) -> ir.Table:
    """`commitment`, `month`, `date`, `workload`, `run`, `hardware`, `hours`, `owner`."""
    used = committed.mutate(month=committed.date.truncate("M")).filter(committed.settled)
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    named = _hours(used.filter(used.attribution == "direct"))
    known = named.join(kinds, ["workload", "run"])
    loose = _hours(_after_cutover(used, cutovers).mutate(run=ibis.literal("")))
    both = known.union(loose.mutate(hardware=ibis.literal("trainium")).select(known.columns))
    return both.mutate(owner=both.date.cast("string") + " " + both.workload + " " + both.run)


def _hours(used: ir.Table) -> ir.Table:
    keys = ["month", "date", "workload", "run", "instance_hours"]
    plans = used.select(*keys, "commitment")
    held = used.select(*keys, commitment="reservation")
    hours = plans.union(held).filter(lambda row: row.commitment.notnull())
    sums = hours.group_by("commitment", "month", "date", "workload", "run").agg(
        hours=hours.instance_hours.sum()
    )
    return sums.filter(sums.hours > 0)


def _after_cutover(used: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Trainium hours that name their workload and no run, of workloads that have moved."""
    loose = used.filter((used.attribution == "shared") & (used.hardware == "trainium"))
    since = left_join(loose, cutovers, ["workload"])
    return since.filter(since.date >= since.cutover)

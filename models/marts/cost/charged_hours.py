"""Finds from when to when the bill charges each run's accelerators (METHOD §4.5)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.charges.instances_without_accelerators import with_workload_of_run


@step(
    grain="workload × run, of those with a run tag",
    units="times UTC",
    nulls="the bill has days only",
    method="§4.5",
    whose="run",
)
def charged_hours(charge_kinds: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Lists when the first hour billed for each run's accelerators begins and the last one ends.

    An instance that container pods share is charged to none of them alone, so they have no row.
    """
    used = charge_kinds.bucket.isnull() & charge_kinds.accelerated
    rows = charge_kinds.filter(used & (charge_kinds.instance_hours > 0))
    rows = with_workload_of_run(rows.filter(rows.run.notnull()), run_workloads)
    return rows.group_by("workload", "run").agg(
        first_hour=rows.first_hour.min(), last_hour=rows.last_hour.max()
    )

"""Selects the runs whose cost may be divided by their work (METHOD §4.2)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart


@mart(
    grain="that of runs: workload × run",
    units="as runs",
    nulls="as runs; cost is never null where there are accelerator-hours",
    method="§4.2",
    whose="run",
)
def counted_runs(runs: ir.Table, unit_daily: ir.Table) -> ir.Table:
    """Selects runs of known cost whose work is counted in the unit of their training recipe.

    If one run of a lineage has hours at an unknown cost, or none has accelerator-hours, all of the
    lineage's runs are left out. So are production and baseline runs that are in no
    `cost_per_epoch`, because the unit does not count their work.
    """
    apart = unit_daily.filter(unit_daily.own & ~unit_daily.counted_in_unit)
    unknown = (runs.cost.isnull() & (runs.accelerator_hours > 0)).any()
    doubt = unknown.over(ibis.window(group_by=["workload", "lineage"]))
    rows = runs.mutate(doubt=doubt, hourless=runs.flags.contains("no_accelerator_hours"))
    rows = rows.filter(~rows.doubt & ~rows.hourless.fill_null(False)).select(*runs.columns)
    return rows.anti_join(apart.select("workload", "run").distinct(), ["workload", "run"])

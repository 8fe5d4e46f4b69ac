"""Selects the runs whose lineage has accelerator-hours on the bill at a known cost."""

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
def counted_runs(runs: ir.Table) -> ir.Table:
    """Selects runs whose lineage has accelerator-hours on the bill, all at a known cost.

    If one run of a lineage has hours at an unknown cost, or none has accelerator-hours, all of the
    lineage's runs are left out.
    """
    unknown = (runs.cost.isnull() & (runs.accelerator_hours > 0)).any()
    doubt = unknown.over(ibis.window(group_by=["workload", "lineage"]))
    rows = runs.mutate(doubt=doubt, hourless=runs.flags.contains("no_accelerator_hours"))
    return rows.filter(~rows.doubt & ~rows.hourless.fill_null(False)).select(*runs.columns)

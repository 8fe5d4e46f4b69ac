"""Picks the runs whose lineage has accelerator-hours on the bill at a known cost."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart


@mart(
    grain="that of runs: workload × run",
    units="as runs",
    nulls="as runs; cost is never null where there are accelerator-hours",
    method="§4",
    whose="run",
)
def counted_runs(runs: ir.Table) -> ir.Table:
    """Returns the rows of `runs` that figures per unit may count.

    A lineage is left out whole where one of its runs has hours at an unknown cost, or none of it
    has accelerator-hours.
    """
    unknown = (runs.cost.isnull() & (runs.accelerator_hours > 0)).any()
    doubt = unknown.over(ibis.window(group_by=["workload", "lineage"]))
    rows = runs.mutate(doubt=doubt, hourless=runs.flags.contains("no_accelerator_hours"))
    return rows.filter(~rows.doubt & ~rows.hourless.fill_null(False)).select(*runs.columns)

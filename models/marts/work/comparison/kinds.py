"""Lists each workload's training recipes ("kinds" of work), and the unit of each (METHOD §3.4)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.rules.work.kinds_of_work import KIND


@step(
    grain="workload × kind",
    units="`unit` says which",
    nulls="none",
    method="§3.4",
    whose="workload",
)
def kinds(comparable: ir.Table) -> ir.Table:
    """Lists each workload's kinds of work (recipes) with their units; `main` marks the main one."""
    return comparable.select(*KIND, "unit", "main").distinct()

"""Lists the periods in which jobs held more of a machine than it had (METHOD §2.10.3)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.schema import EXPLAINERS


@mart(
    grain="machine (or `pool CLUSTER TYPE`) × period of the bill in which it was over-allocated",
    units="seconds of the whole machine; of a pool, of all its machines together",
    nulls="cluster: no tag and no job names one",
    method="§2.10.3",
    whose="company",
)
def over_allocated_periods(over_allocations: ir.Table) -> ir.Table:
    """Lists charge periods in which jobs held more of a machine than it had, by how many seconds.

    Example: two jobs hold all of a machine from 10:00 to 11:00: 3,600 seconds over, beyond a
    capacity of 3,600.
    """
    return over_allocations.select(*EXPLAINERS["over_allocated_periods"])

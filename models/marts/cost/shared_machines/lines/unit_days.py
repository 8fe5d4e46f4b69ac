"""Numbers the days of machines and pools that are divided, so that later steps join by number."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.settled_days.delivered_allocations import with_cluster_place, with_delivered


@step(
    grain="unit (machine or pool) × UTC day on which the bill has lines of it",
    units="none",
    nulls="none",
    method="§2.10",
    whose="company",
)
def unit_days(machine_or_pool: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Numbers the days of shared machines and pools, as short keys for the steps that follow.

    `delivered` says whether the cluster's allocations of the day are delivered in full; of a pool
    in several accounts or regions, those of all of them.
    """
    named = machine_or_pool.filter(machine_or_pool.of_unit.notnull())
    rows = named.group_by("account", "region", unit="of_unit", date="day").agg(
        cluster=named.unit_cluster.max(where=named.used)
    )
    placed = with_cluster_place(rows, allocation_days).view()  # Ibis joins no join again
    marked = with_delivered(placed, allocation_days)
    days = marked.group_by("unit", day="date").agg(
        cluster=marked.cluster.max(), delivered=marked.delivered.all()
    )
    return days.mutate(unit_day=ibis.row_number())

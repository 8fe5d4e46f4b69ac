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

    `delivered` says whether the cluster's allocations of the day are delivered in full.
    """
    named = machine_or_pool.filter(machine_or_pool.of_unit.notnull())
    of_hours = {"where": named.used}
    rows = named.group_by(unit="of_unit", date="day").agg(
        cluster=named.unit_cluster.max(**of_hours),
        account=named.account.max(**of_hours),
        region=named.region.max(**of_hours),
    )
    placed = with_cluster_place(rows, allocation_days).view()  # Ibis joins no join again
    told = with_delivered(placed, allocation_days)
    return told.select("unit", "cluster", "delivered", day="date", unit_day=ibis.row_number())

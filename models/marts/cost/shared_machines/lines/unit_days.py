"""Numbers the days of machines and pools that are divided, so that later steps join by number."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step


@step(
    grain="unit (machine or pool) × UTC day on which the bill has lines of it",
    units="none",
    nulls="none",
    method="§2.10",
    whose="company",
)
def unit_days(machine_or_pool: ir.Table) -> ir.Table:
    """Numbers the days of shared machines and pools, as short keys for the steps that follow."""
    named = machine_or_pool.filter(machine_or_pool.of_unit.notnull())
    rows = named.group_by(unit="of_unit", day="day").agg(
        cluster=named.unit_cluster.max(where=named.used)
    )
    return rows.mutate(unit_day=ibis.row_number())

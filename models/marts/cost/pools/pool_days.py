"""Sums what jobs held of each pool by day, and what stood idle, with cost (METHOD §2.10)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import cost_sums
from models.contract.rules.attribution_groups import OF_RUNS, UNTAGGED
from models.contract.rules.missing_allocations import lacks_allocations, with_ran
from models.contract.schema import MONEY
from models.marts.cost.attribution_buckets import HELD, UNDELIVERED
from models.marts.cost.capacity_blocks.with_block_costs import amortised
from models.marts.cost.charges.missing_prices import without_missing_prices
from models.marts.cost.charges.usage_types import instance_types
from models.marts.cost.settled_days.delivered_allocations import (
    before_the_first,
    told_of,
    with_cluster_place,
    with_delivered,
)
from models.marts.cost.settled_days.settled_accounts import with_settled
from models.marts.cost.shared_machines.shares.nobodys_time import IDLE


@step(
    grain="date × billing_account × cluster × cluster_place × instance_type × holding × workload "
    "× run × waiting × flags × before the first delivery",
    units="dollars on the four bases; instance and accelerator hours",
    nulls="workload, run: nobody known; waiting: no workload's tag; a cost that cannot be known",
    method="§2.10",
    whose="company",
)
def pool_days(
    attributed: ir.Table,
    block_spend: ir.Table,
    block_fees: ir.Table,
    catalog: ir.Table,
    settled_accounts: ir.Table,
    allocation_days: ir.Table,
) -> ir.Table:
    """Sums shared machines' hours and cost by day, pool, and owner or why idle; without volumes.

    A job that names its run, and whose workload nobody knows, is one of nobody known: `unknown`.
    `settled`: the bill of the day is settled and the cluster's allocations of it are delivered.
    `awaited`: the bill is settled, and nobody has told yet who held the machines that `ran`.
    `cluster_place` tells clusters of one name in several accounts apart. `waiting` is the workload
    whose tag a machine bears on a day without allocations, since the cluster's first delivery;
    before it (`before_first`) such a tag tells enough (`told_by_tag`).
    """
    of_machines = attributed.component == "accelerator"
    held = attributed.filter(attributed.holding.notnull() & of_machines)
    blocks = block_spend.filter(block_spend.holding.notnull())
    charges = amortised(held, blocks, block_fees)
    rows = before_the_first(with_cluster_place(charges, allocation_days), allocation_days)
    rows = with_delivered(rows, allocation_days)
    rows = rows.mutate(**without_missing_prices(rows))
    keys = [
        "date", "billing_account", "cluster", "cluster_place", "instance_type", "holding",
        "workload", "run", "waiting", "told_by_tag", "before_first", "delivered",
        "allocation_flags", "unpriced", "purchase_option", "component",
    ]  # fmt: skip
    rows = rows.mutate(**told_of(rows), **_owners(rows))
    sums = rows.group_by(keys).agg(
        instance_hours=rows.instance_hours.sum().cast(MONEY),
        accelerator_hours=rows.accelerator_hours.sum().cast(MONEY),
        **cost_sums(rows),
    )
    kinds = instance_types(catalog).drop("accelerators")
    sums = left_join(sums, kinds, ["instance_type"])
    dated = with_ran(with_settled(sums, settled_accounts))
    awaited = dated.settled & lacks_allocations(dated)
    return dated.mutate(settled=dated.settled & dated.delivered, awaited=awaited)


def _owners(rows: ir.Table) -> dict[str, ir.Value]:
    """Returns the columns that say who held machines, or for whose allocations they wait."""
    nobodys = (rows.holding == HELD[0]) & (rows.attribution == UNTAGGED)
    missing = rows.holding == UNDELIVERED
    owned = rows.attribution.isin(OF_RUNS)
    return {
        "holding": ibis.cases((nobodys, HELD[1]), (missing, IDLE), else_=rows.holding),
        "workload": ibis.ifelse(owned & ~missing, rows.workload, None),
        "waiting": ibis.ifelse(owned & missing & ~rows.before_first, rows.workload, None),
        "before_first": (missing & rows.before_first).fill_null(False),
        "run": ibis.ifelse(rows.attribution == "direct", rows.run, None),
    }

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
from models.marts.cost.pools.tagged_holders import tagged_holders
from models.marts.cost.settled_days.delivered_allocations import (
    before_the_first,
    delivery_of,
    with_cluster_place,
    with_delivered,
)
from models.marts.cost.settled_days.settled_accounts import with_settled
from models.marts.cost.shared_machines.shares.nobodys_time import IDLE

KEYS = (
    "date", "billing_account", "cluster", "cluster_place", "instance_type", "holding", "workload",
    "run", "waiting", "known_by_tag", "before_first", "delivered", "allocation_flags", "unpriced",
    "purchase_option", "component",
)  # fmt: skip


@step(
    grain="date × billing_account × cluster × cluster_place × instance_type × holding × workload "
    "× run × waiting × flags × before the first delivery × by_tag",
    units="dollars on the four bases; instance and accelerator hours",
    nulls="workload, run: unknown; waiting: no workload's tag; a cost that cannot be known",
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

    A job that names its run, and whose workload nobody knows, is an unknown one: `unknown`.
    `settled`: the bill of the day is settled and the cluster's allocations of it are delivered.
    `awaited`: the bill is settled, and nobody has told yet who held the machines that `ran`.
    `cluster_place` tells clusters of one name in several accounts apart. `waiting` is the workload
    whose tag a machine bears on a day without allocations, since the cluster's first delivery;
    before it (`before_first`) such a tag tells enough (`known_by_tag`). `by_tag`: a run's tag names
    the hours, in place of an allocation.
    """
    charges = amortised(_of_clusters(attributed), _of_clusters(block_spend), block_fees)
    placed = with_cluster_place(charges, allocation_days)
    divided = _told(placed.filter(placed.holding.notnull()), allocation_days)
    days = with_ran(_by_day(divided, catalog, settled_accounts))
    awaited = days.settled & lacks_allocations(days)
    days = days.mutate(settled=days.settled & days.delivered, awaited=awaited, by_tag=False)
    tagged = _by_day(_of_tags(placed), catalog, settled_accounts)
    tagged = tagged.mutate(ran=ibis.literal(value=True), awaited=False, by_tag=True)
    return days.union(tagged.select(*days.columns))


def _of_clusters(rows: ir.Table) -> ir.Table:
    """Selects accelerator charges of machines divided among jobs, or with a cluster's tag."""
    named = rows.holding.notnull() | rows.cluster.notnull()
    return rows.filter(named & (rows.component == "accelerator"))


def _told(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds to divided machine charges their owner, and if the day's allocations are delivered."""
    rows = with_delivered(before_the_first(rows, allocation_days), allocation_days)
    return rows.mutate(**delivery_of(rows), **_owners(rows))


def _of_tags(rows: ir.Table) -> ir.Table:
    """Returns charges of pool machines that bear a run's tag, marked as needing no allocations."""
    never, always = ibis.literal(value=False), ibis.literal(value=True)
    return tagged_holders(rows).mutate(
        waiting=ibis.null("string"), known_by_tag=never, before_first=never, delivered=always
    )


def _by_day(rows: ir.Table, catalog: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Sums charges by day, pool and owner, and adds whether the bill of the day is settled."""
    rows = rows.mutate(**without_missing_prices(rows))
    sums = rows.group_by(KEYS).agg(
        instance_hours=rows.instance_hours.sum().cast(MONEY),
        accelerator_hours=rows.accelerator_hours.sum().cast(MONEY),
        **cost_sums(rows),
    )
    kinds = instance_types(catalog).drop("accelerators")
    return with_settled(left_join(sums, kinds, ["instance_type"]), settled_accounts)


def _owners(rows: ir.Table) -> dict[str, ir.Value]:
    """Returns the columns of who held machines, or of whose job allocations are missing."""
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

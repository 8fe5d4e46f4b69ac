"""Sums spend by day, owner and kind of use; every cent of the bill is in it exactly once."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import cost_sums
from models.contract.rules.missing_allocations import lacks_allocations, with_ran
from models.contract.schema import COST_COLUMNS, MARTS, MONEY, with_tags
from models.marts.cost.attribution_buckets import keeps_workload
from models.marts.cost.capacity_blocks.with_block_costs import amortised
from models.marts.cost.charges.missing_prices import without_missing_prices
from models.marts.cost.charges.usage_types import instance_types
from models.marts.cost.hardware_of_runs import used_by_runs, with_hardware
from models.marts.cost.pools.cluster_charges import (
    held_by_runs,
    split_cluster_charges,
    tagged_cluster,
)
from models.marts.cost.settled_days.delivered_allocations import (
    before_the_first,
    delivery_of,
    with_cluster_place,
    with_delivered,
)
from models.marts.cost.settled_days.final_spend import with_final
from models.marts.cost.settled_days.settled_accounts import with_settled
from models.marts.cost.shared_split import split_shared

AMOUNTS = ("instance_hours", "accelerator_hours", *COST_COLUMNS)


@mart(
    grain="date × billing_period × billing_account × account × region × workload × run × "
    "instance_type × purchase_option × component × attribution × extra tags × unpriced × settled",
    units="dollars on the four bases, never added together; instance and accelerator hours",
    nulls="a cost that cannot be known is null (`unpriced` where its price is missing); workload, "
    "run null: nobody's; instance_type, platform, hardware null: not hours of an instance",
    method="§2.1, §2.6",
    whose="run",
)
def spend_daily(
    attributed: ir.Table,
    block_spend: ir.Table,
    block_fees: ir.Table,
    catalog: ir.Table,
    bills: ir.Table,
    settled_accounts: ir.Table,
    closed_months: ir.Table,
    allocation_days: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Sums the bill by day, workload, run, machine type and component, with each row's bucket."""
    charges = amortised(attributed, block_spend, block_fees)
    charges = _with_known_holders(charges, allocation_days)
    return daily_spend(charges, catalog, bills, settled_accounts, closed_months, settings)


def _with_known_holders(charges: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `cluster_place`, and `holders_known`: no job allocations of the charge are missing.

    A workload's tag tells enough of days before the cluster's first delivery.
    """
    named = with_cluster_place(charges, allocation_days)
    shared = ibis.ifelse(named.holding.isnull(), None, named.cluster)
    divided = named.mutate(tagged=named.cluster, cluster=shared)
    charges = before_the_first(with_delivered(divided, allocation_days), allocation_days)
    charges = with_ran(charges.mutate(**delivery_of(charges)))
    known = ~lacks_allocations(charges)
    charges = charges.mutate(cluster=charges.tagged, holders_known=known)
    return charges.select(*named.columns, "holders_known")


def daily_spend(
    charges: ir.Table,
    catalog: ir.Table,
    bills: ir.Table,
    settled_accounts: ir.Table,
    closed_months: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes `spend_daily` from charges in which Capacity Block fees are already spread.

    `holders_known`: the allocations of a charge of a shared machine are delivered.

    `hardware` is the run's, by most of its accelerator-hours; `platform` is the charge's own.
    `invoiced` says that AWS has issued the invoice of the account's month, `final` that it has or
    that the month was closed.
    """
    kinds = instance_types(catalog).drop("accelerators")
    rows = left_join(_at_grain(charges, settings), kinds, ["instance_type"])
    direct = rows.filter(rows.attribution == "direct")
    split = split_shared(rows.filter(rows.attribution == "shared"), direct, AMOUNTS)
    whole = rows.filter((rows.attribution != "shared") & rows.tagged_cluster.isnull())
    loose = rows.filter(rows.tagged_cluster.notnull())
    of_clusters = split_cluster_charges(loose, held_by_runs(charges), AMOUNTS)
    every = whole.union(split, of_clusters)
    owned = with_hardware(every, used_by_runs(direct, split))
    dated = with_final(with_settled(owned, settled_accounts), bills, closed_months)
    dated = dated.mutate(settled=dated.settled & dated.holders_known)
    return dated.select(*with_tags(MARTS["spend_daily"], settings.tags.extra))


def _at_grain(charges: ir.Table, settings: Settings) -> ir.Table:
    """Sums charges by day, owner, machine type and component; a cost without a price is null."""
    extra = [f"tag_{key}" for key in settings.tags.extra]
    rows = charges.mutate(
        workload=ibis.ifelse(keeps_workload(charges), charges.workload, None),
        run=ibis.ifelse(charges.attribution == "direct", charges.run, None),
        tagged_cluster=tagged_cluster(charges),
        **without_missing_prices(charges),
    )
    keys = [
        "date", "billing_period", "billing_account", "account", "region", "workload", "run",
        "instance_type", "purchase_option", "component", "attribution", *extra, "unpriced",
        "holders_known", "tagged_cluster",
    ]  # fmt: skip
    return rows.group_by(keys).agg(
        instance_hours=rows.instance_hours.sum().cast(MONEY),
        accelerator_hours=rows.accelerator_hours.sum().cast(MONEY),
        **cost_sums(rows),
    )

"""Splits charges that name only a cluster among its runs of the month (METHOD §2.10.7).

A head node, a file system or a control plane belongs to no job. Its charges fall on the runs that
held machines of the cluster that month, by accelerator-hours; without one they stay `other`.
"""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import allocated
from models.marts.cost.attribution_buckets import HELD
from models.marts.cost.pools.tagged_holders import tagged_holders

MONTH = ["tagged_cluster", "month"]


def tagged_cluster(charges: ir.Table) -> ir.Value:
    """Returns the column of a charge's cluster; null unless in bucket `other` and of no machine."""
    loose = (charges.attribution == "other") & charges.holding.isnull()
    return ibis.ifelse(loose, _place(charges), None)


def held_by_runs(charges: ir.Table) -> ir.Table:
    """Sums the accelerator-hours that each run held of each cluster, by month."""
    held = charges.filter((charges.holding == HELD[0]) & (charges.attribution == "direct"))
    held = held.union(tagged_holders(charges))
    held = held.mutate(month=held.date.truncate("M"), tagged_cluster=_place(held))
    hours = held.group_by(*MONTH, held_workload="workload", held_run="run").agg(
        hours=held.accelerator_hours.sum()
    )
    return hours.filter(hours.hours > 0)


def split_cluster_charges(loose: ir.Table, held: ir.Table, amounts: Sequence[str]) -> ir.Table:
    """Splits clusters' charges among the month's runs on them; without runs they stay whole."""
    rows = left_join(loose.mutate(month=loose.date.truncate("M")), held, MONTH)
    owner = rows.held_workload + "|" + rows.held_run
    rows = rows.mutate(owner=owner)
    grain = [name for name in loose.columns if name not in amounts]
    split = allocated(rows, amounts, weight="hours", within=grain, owner="owner")
    borne = split.owner.notnull()
    return split.mutate(
        workload=split.held_workload,
        run=split.held_run,
        attribution=ibis.ifelse(borne, "shared", split.attribution),
    ).select(loose.columns)


def _place(charges: ir.Table) -> ir.Value:
    """Returns the column of a charge's cluster, with its account where several have its name."""
    return charges.cluster + "|" + charges.cluster_place

"""Instances as their pods divide them (METHOD §2.9).

Grain: that of `spend_reduced`'s charges of an instance without a run tag, of days on which
container pods ran on it, × owner of the pods (`owner`: the workload, `run`, extra tags); `workload`
is the instance's own. An instance's amounts are shared by its pods' split cost, what that leaves
stays with the instance's own tags; where no pod cost anything (a Capacity Block's hours), by their
usage if all are metered alike. Shares add up to the instance's; the pods' own costs are no charges.

Where the bill does not name a pod's instance, pods divide only what leaves no doubt: all charges of
one instance type in their account, region and day that carry their workload's tag, else none; and
nothing if the workload has instances with a run tag that day.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import same_keys
from models.contract.money import ZERO, allocated
from models.contract.schema import COST_COLUMNS

PLACE = ("billing_account", "account", "region", "date")
AMOUNTS = ("quantity", *COST_COLUMNS)
TYPE = r":.+$"


def hosted(spend_reduced: ir.Table, usages: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Columns of `spend_reduced` and `owner`."""
    repeating = usages.filter(usages.repeats).select("sku")
    hosting = usages.filter(usages.hosts).select("sku")
    pods = _parts(owned(spend_reduced.semi_join(repeating, "sku"), run_workloads))
    rows = _beside(spend_reduced.semi_join(hosting, "sku"), pods)
    named, loose = rows.filter(rows.host.notnull()), rows.filter(rows.host.isnull())
    told, untold = pods.filter(pods.host.notnull()), pods.filter(pods.host.isnull())
    known = _divided(named.mutate(at="host"), told.mutate(at="host"))
    lodged = _lodged(untold, owned(loose, run_workloads))
    return known.union(_divided(loose.mutate(at="workload"), lodged))


def divisible(rows: ir.Table) -> ir.BooleanValue:
    """Charges of an instance that somebody used; one with a run tag never stands among them."""
    charged = rows.category.isin(("Usage", "Adjustment"))
    idle = (rows.commitment_status == "Unused") | (rows.reservation_status == "Unused")
    return cast(ir.BooleanValue, charged & ~idle.fill_null(False))


def owned(reduced: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """With the workload that the run belongs to where the charge names none."""
    told = run_workloads.select(run_="run", workload_="workload")
    joined = reduced.left_join(told, reduced.run == told.run_)
    return joined.mutate(workload=ibis.coalesce(joined.workload, joined.workload_)).drop(
        "run_", "workload_"
    )


def _beside(rows: ir.Table, pods: ir.Table) -> ir.Table:
    """Rows of the accounts, regions and days that pods ran in."""
    return rows.semi_join(pods, same_keys(rows, pods, PLACE))


def _parts(pods: ir.Table) -> ir.Table:
    """Pods by instance and owner: their split cost, and their usage with what meters it."""
    tags = [name for name in pods.columns if name.startswith("tag_")]
    return pods.group_by(*PLACE, "host", "workload", "run", *tags).agg(
        cost=ibis.greatest(pods.effective_cost.sum(), 0),
        used=pods.quantity.sum(),
        least_meter=pods.sku.min(),
        most_meter=pods.sku.max(),
    )


def _lodged(pods: ir.Table, rows: ir.Table) -> ir.Table:
    """Pods whose instance nobody names, `at` the workload tag of those they surely ran on."""
    pools = rows.group_by(*PLACE, pool="workload").agg(
        sure=(rows.sku.re_extract(TYPE, 0).nunique() == 1) & ~rows.run.notnull().any()
    )
    own = _pooled(pods, pools, pods.workload)
    known = own.mutate(at="workload")
    others = own.filter(own.sure.isnull()).drop("sure").mutate(at=ibis.null("string"))
    free = _pooled(others, pools, others["at"])
    both = known.union(free.select(known.columns))
    return both.filter(both.sure).drop("sure")


def _pooled(pods: ir.Table, pools: ir.Table, pool: ir.Value) -> ir.Table:
    """Pods with what is known of the pool of that name."""
    joined = pods.left_join(pools, [*same_keys(pods, pools, PLACE), pool.identical_to(pools.pool)])
    return joined.select(pods, pools.sure)


def _divided(rows: ir.Table, pods: ir.Table) -> ir.Table:
    """Charges of instances in the parts that pods with the same `at` have in them."""
    whole = rows.filter(divisible(rows))
    keys = [*PLACE, "at"]
    shares = _shares(whole, pods).rename(**{f"{name}_of": name for name in keys})
    joined = whole.join(shares, same_keys(whole, shares, keys, "_of"))
    grain = [name for name in whole.columns if name not in AMOUNTS]
    split = allocated(joined, AMOUNTS, weight="weight", within=grain, owner="part")
    tags = [name for name in grain if name.startswith("tag_")]
    told = split.mutate(
        owner=ibis.coalesce(split.workload_part, split.workload),
        run=split.run_part,
        **{name: ibis.coalesce(split[f"{name}_part"], split[name]) for name in tags},
    )
    return told.select(*(name for name in rows.columns if name != "at"), "owner")


def _shares(whole: ir.Table, pods: ir.Table) -> ir.Table:
    """What each owner's pods weigh, and what is left to the instance's own tags."""
    keys = [*PLACE, "at"]
    there = ibis.window(group_by=keys)
    owner = [name for name in pods.columns if name in ("workload", "run") or name[:4] == "tag_"]
    alike = pods.least_meter.min().over(there) == pods.most_meter.max().over(there)
    total = pods.cost.sum().over(there)
    weight = ibis.ifelse(total > 0, pods.cost, ibis.ifelse(alike, pods.used, ZERO))
    parts = pods.mutate(weight=weight).select(
        *keys, "weight", **{f"{name}_part": pods[name] for name in owner}
    )
    rest = _rest(whole, pods).select(
        *keys, "weight", **{f"{name}_part": ibis.null("string") for name in owner}
    )
    every = parts.union(rest).filter(lambda row: row.weight > 0)
    order = ibis.window(order_by=[f"{name}_part" for name in owner])
    return every.mutate(part=ibis.row_number().over(order))


def _rest(whole: ir.Table, pods: ir.Table) -> ir.Table:
    """What the pods' split cost leaves of the instances'; nothing where usage divides them."""
    keys = [*PLACE, "at"]
    cost = whole.group_by(keys).agg(cost=whole.effective_cost.sum())
    split = pods.group_by(**{f"{name}_of": pods[name] for name in keys}).agg(split=pods.cost.sum())
    joined = cost.join(split, same_keys(cost, split, keys, "_of"))
    left = ibis.ifelse(joined.split > 0, ibis.greatest(joined.cost - joined.split, ZERO), ZERO)
    return joined.mutate(weight=left)

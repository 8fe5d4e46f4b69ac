"""Divides the cost of instances without accelerators among pods, by split cost (METHOD §2.9).

Those with accelerators whose pods the bill names are divided by machine and period instead, by the
accelerators that each pod held (`shared_machines`).

Split-cost rows of pods repeat their parent instance: the instance counts, and pods only say who
used it. An instance's amounts are shared by the split cost of its pods; what that leaves stays with
the instance's own tags. Where no pod cost anything (hours of a Capacity Block) they are shared by
the pods' usage, if all have the same unit. Example: an instance of $10 whose pods have split costs
of $6 and $3 gives them $6 and $3 and keeps $1.

Where the bill does not name a pod's instance, pods divide only what leaves no doubt: all charges of
one instance type in their account, region and day that carry their workload's tag, else untagged
ones; and nothing if the workload has instances with a run tag that day.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import same_keys
from models.contract.money import ZERO, allocated
from models.contract.schema import COST_COLUMNS
from models.marts.cost.charges.charge_kinds import charge_kinds, is_divisible

PLACE = ("billing_account", "account", "region", "date")
AMOUNTS = ("quantity", *COST_COLUMNS)
TYPE = r":.+$"


@step(
    grain="that of charge_kinds, of instances without a run tag on days on which pods ran on them, "
    "× workload, run and extra tags of the pods (or of the instance: the rest); "
    "instance_workload is the instance's own",
    units="dollars on the four bases; instance and accelerator hours",
    nulls="as charge_kinds",
    method="§2.9",
    whose="run",
)
def instances_without_accelerators(
    spend_reduced: ir.Table, usage_types: ir.Table, run_workloads: ir.Table
) -> ir.Table:
    """Divides the charges of instances among the container pods that ran on them.

    Except accelerators of instances that the bill names: `shared_machines` divides those.
    """
    shares = _shares_of_charges(spend_reduced, usage_types, run_workloads)
    columns = [*spend_reduced.columns, "instance_workload"]
    owned = shares.rename(instance_workload="workload", workload="owner")
    return charge_kinds(owned.select(columns), usage_types)


def with_workload_of_run(rows: ir.Table, run_workloads: ir.Table) -> ir.Table:
    """Adds to each charge that names only a run the workload of that run."""
    of_run = run_workloads.select(run_="run", workload_="workload")
    joined = rows.left_join(of_run, rows.run == of_run.run_)
    return joined.mutate(workload=ibis.coalesce(joined.workload, joined.workload_)).drop(
        "run_", "workload_"
    )


def _shares_of_charges(
    spend_reduced: ir.Table, usage_types: ir.Table, run_workloads: ir.Table
) -> ir.Table:
    """Splits the bill's daily instance charges among the owners (workload, run) of their pods."""
    repeating = usage_types.filter(usage_types.of_pod).select("sku")
    hosting = usage_types.filter(usage_types.hosts_pods)
    rows_of_pods = spend_reduced.semi_join(repeating, "sku")
    pods = _pods(with_workload_of_run(rows_of_pods, run_workloads))
    rows = _where_pods_ran(spend_reduced.semi_join(hosting.select("sku"), "sku"), pods)
    named, unnamed = rows.filter(rows.host.notnull()), rows.filter(rows.host.isnull())
    named = named.anti_join(hosting.filter(hosting.accelerated).select("sku"), "sku")
    placed, unplaced = pods.filter(pods.host.notnull()), pods.filter(pods.host.isnull())
    on_host = _divided(named.mutate(at="host"), placed.mutate(at="host"))
    in_pool = _in_pools(unplaced, with_workload_of_run(unnamed, run_workloads))
    return on_host.union(_divided(unnamed.mutate(at="workload"), in_pool))


def _where_pods_ran(rows: ir.Table, pods: ir.Table) -> ir.Table:
    """Selects rows of accounts, regions and days in which container pods ran."""
    return rows.semi_join(pods, same_keys(rows, pods, PLACE))


def _pods(pods: ir.Table) -> ir.Table:
    """Sums split cost and usage of container pods by instance and owner."""
    tags = [name for name in pods.columns if name.startswith("tag_")]
    return pods.group_by(*PLACE, "host", "workload", "run", *tags).agg(
        cost=ibis.greatest(pods.effective_cost.sum(), 0),
        used=pods.quantity.sum(),
        least_meter=pods.sku.min(),
        most_meter=pods.sku.max(),
    )


def _in_pools(pods: ir.Table, rows: ir.Table) -> ir.Table:
    """Assigns pods of unknown instance to their workload's, else untagged machines, if certain."""
    pools = rows.group_by(*PLACE, pool="workload").agg(
        sure=(rows.sku.re_extract(TYPE, 0).nunique() == 1) & ~rows.run.notnull().any()
    )
    own = _with_pool(pods, pools, pods.workload)
    tagged = own.mutate(at="workload")
    others = own.filter(own.sure.isnull()).drop("sure").mutate(at=ibis.null("string"))
    free = _with_pool(others, pools, others["at"])
    both = tagged.union(free.select(tagged.columns))
    return both.filter(both.sure).drop("sure")


def _with_pool(pods: ir.Table, pools: ir.Table, pool: ir.Value) -> ir.Table:
    """Adds `sure`: the pod's pool has one instance type and no run tag; null without a pool."""
    joined = pods.left_join(pools, [*same_keys(pods, pools, PLACE), pool.identical_to(pools.pool)])
    return joined.select(pods, pools.sure)


def _divided(rows: ir.Table, pods: ir.Table) -> ir.Table:
    """Splits instance charges among pods on the instance or pool; the instance keeps the rest."""
    whole = rows.filter(is_divisible(rows))
    keys = [*PLACE, "at"]
    shares = _shares(whole, pods).rename(**{f"{name}_of": name for name in keys})
    joined = whole.join(shares, same_keys(whole, shares, keys, "_of"))
    grain = [name for name in whole.columns if name not in AMOUNTS]
    split = allocated(joined, AMOUNTS, weight="weight", within=grain, owner="part")
    tags = [name for name in grain if name.startswith("tag_")]
    owned = split.mutate(
        owner=ibis.coalesce(split.workload_part, split.workload),
        run=split.run_part,
        **{name: ibis.coalesce(split[f"{name}_part"], split[name]) for name in tags},
    )
    return owned.select(*(name for name in rows.columns if name != "at"), "owner")


def _shares(whole: ir.Table, pods: ir.Table) -> ir.Table:
    """Computes weights by which cost is split: pod owners', and the rest the instance keeps."""
    keys = [*PLACE, "at"]
    there = ibis.window(group_by=keys)
    owner = [name for name in pods.columns if name in ("workload", "run") or name[:4] == "tag_"]
    one_meter = pods.least_meter.min().over(there) == pods.most_meter.max().over(there)
    total = pods.cost.sum().over(there)
    weight = ibis.ifelse(total > 0, pods.cost, ibis.ifelse(one_meter, pods.used, ZERO))
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
    """Returns each instance's or pool's cost less its pods' split cost; 0 if these have none."""
    keys = [*PLACE, "at"]
    cost = whole.group_by(keys).agg(cost=whole.effective_cost.sum())
    split = pods.group_by(**{f"{name}_of": pods[name] for name in keys}).agg(split=pods.cost.sum())
    joined = cost.join(split, same_keys(cost, split, keys, "_of"))
    left = ibis.ifelse(joined.split > 0, ibis.greatest(joined.cost - joined.split, ZERO), ZERO)
    return joined.mutate(weight=left)

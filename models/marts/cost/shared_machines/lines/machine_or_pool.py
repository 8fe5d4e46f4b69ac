"""Decides if a shared machine's bill line is divided within the machine, within its pool, or not.

A machine that intervals of the day name is divided by itself. Where jobs of several clusters held
it, those of the day say whose it is (of several the one of its tag), then its tag. Another machine
belongs to the pool of its cluster and instance type, if jobs of the day are known by pool alone or
its tag names a cluster that has allocations, of machines in its account: also one that is named on
another day, since a scheduler's nodes may be known by instance only from some day on. Where all
jobs of a pool name their account or region, each of these is a pool of its own. Where no job of the
day is known by pool, the machines of each account are apart: its allocations may be late. A machine
that was ever held is then idle by itself. Lines of other machines have no unit: they stay as they
were.

Types are compared without `ml.`: HyperPod bills `ml.trn1.32xlarge`, and who states an allocation
may call it as EC2 does.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step

ARN = "arn:"
PLACE = ("machine", "machine_cluster", "kind")
"""Say where a line belongs, beside nothing else: its machine, and what it is."""


@step(
    grain="machine × cluster that a line names × kind of line",
    units="to_the_hour: billed units of an hour",
    nulls="of_unit, unit_cluster: no allocation is about the machine",
    method="§2.10",
    whose="company",
)
def machine_or_pool(
    due_lines: ir.Table,
    line_kinds: ir.Table,
    held_near: ir.Table,
    members: ir.Table,
    held_clusters: ir.Table,
) -> ir.Table:
    """Decides whether bill lines are divided within their machine, within a pool, or not at all.

    `of_unit` is the machine or the pool, `whole` marks lines of a SageMaker job, which are that
    job's whatever the time. Storage and traffic of a machine belong to the pool of its machine
    hours that day.
    """
    rows = due_lines.select(PLACE).distinct().join(line_kinds, "kind")
    of_day = ibis.window(group_by=[rows.machine, rows.day])
    rows = rows.mutate(type_=ibis.coalesce(rows.type_, rows.type_.max().over(of_day)))
    pools = _pools(held_near)
    rows = _with_home(rows, _named_near(held_near), members, held_clusters, pools)
    rows = _with_pool(rows, pools)
    by_itself = rows.on_day.notnull() | (rows.member.notnull() & rows.pool_day.isnull())
    return rows.select(
        *PLACE, "day", "account", "region", "used", "beside", "to_the_hour",
        of_unit=ibis.cases((by_itself, rows.machine), (rows.home.notnull(), _own_pool(rows))),
        unit_cluster=ibis.ifelse(
            rows.beside, ibis.coalesce(rows.home, rows.machine_cluster), rows.home
        ),
        whole=rows.member.notnull() & rows.machine.startswith(ARN),
    )  # fmt: skip


def _with_home(
    rows: ir.Table, near: ir.Table, members: ir.Table, held_clusters: ir.Table, pools: ir.Table
) -> ir.Table:
    """Adds `home`, the cluster of a machine, and the columns by which it is found.

    `on_day` is the cluster whose intervals of the day name the machine, `tagged` the cluster of a
    machine's tag, if that has allocations, and `own_pool` if it has pools of the day, of machines
    in its account.
    """
    known = members.select(member="resource", member_cluster="cluster")
    clusters = held_clusters.select(tagged="cluster", tagged_in="account")
    rows = rows.left_join(near, [rows.machine == near.resource, rows.day == near.near])
    rows = rows.drop("resource", "near")
    rows = rows.left_join(known, rows.machine == known.member)
    in_account = clusters.tagged_in.isnull() | (clusters.tagged_in == rows.account)
    rows = rows.left_join(clusters, [rows.machine_cluster == clusters.tagged, in_account])
    own = pools.select(own_pool="pool_cluster", own_in="pool_account", own_day="pool_day")
    own = own.distinct()
    of_account = [rows.account == own.own_in, rows.day == own.own_day]
    rows = rows.left_join(own, [rows.machine_cluster == own.own_pool, *of_account])
    return rows.mutate(home=_home(rows))


def _with_pool(rows: ir.Table, pools: ir.Table) -> ir.Table:
    """Adds a machine's pool of the day by cluster, type, account and region; null without one."""
    in_region = pools.pool_region.isnull() | (pools.pool_region == rows.region)
    return rows.left_join(
        pools,
        [
            rows.home == pools.pool_cluster,
            _plain(rows.type_) == pools.pool_type,
            rows.day == pools.pool_day,
            pools.pool_account.isnull() | (pools.pool_account == rows.account),
            in_region | (rows.region.isnull() & pools.one_region),
        ],
    )


def _own_pool(rows: ir.Table) -> ir.Value:
    """Returns the name of a machine's pool; one per account where no job held the pool that day."""
    return ibis.ifelse(
        rows.pool_day.isnull(),
        pool_unit(rows.home, rows.type_, ibis.literal("unheld"), rows.account),
        pool_unit(rows.home, rows.type_, rows.pool_account, rows.pool_region),
    )


def pool_unit(cluster: ir.Value, instance_type: ir.Value, *places: ir.Value) -> ir.StringValue:
    """Returns the column of a machine pool's name, `pool CLUSTER TYPE`, which no machine has.

    Account and region follow where jobs of the pool name them.
    """
    name = ibis.literal("pool ") + cluster + " " + _plain(instance_type)
    for place in places:
        name += (ibis.literal(" ") + place).fill_null("")
    return cast(ir.StringValue, name)


def _plain(instance_type: ir.Value) -> ir.StringValue:
    return cast(ir.StringValue, instance_type).re_replace(r"^ml\.", "")


def _home(rows: ir.Table) -> ir.Value:
    """Returns the cluster of a bill line's machine: by its jobs of the day, else by its own tag.

    Of several clusters whose jobs held it that day it is its tag's. Else by jobs of the day before,
    which it may have left idle, of the day after, or of any day.
    """
    own = ibis.ifelse(rows.held_by.contains(rows.tagged), rows.tagged, None)
    near = (own, rows.on_day, rows.tagged, rows.before, rows.after)
    return ibis.coalesce(*near, rows.member_cluster, rows.own_pool)


def _named_near(held_near: ir.Table) -> ir.Table:
    """Lists by machine and day the clusters whose jobs held it then, a day before or after."""
    named = held_near.filter(held_near.resource.notnull())
    days = [
        named.select("resource", "cluster", near=(named.date + shift).cast("date"), shift=number)
        for number, shift in ((n, ibis.interval(days=n)) for n in (-1, 0, 1))
    ]
    every = ibis.union(*days)
    return every.group_by("resource", "near").agg(
        on_day=every.cluster.max(where=every["shift"] == 0),
        held_by=every.cluster.collect(where=every["shift"] == 0, distinct=True),
        before=every.cluster.max(where=every["shift"] == 1),
        after=every.cluster.max(where=every["shift"] == -1),
    )


def _pools(held_near: ir.Table) -> ir.Table:
    """Lists machine pools by day; `one_region` says if an account's pool is in one region only."""
    loose = held_near.filter(held_near.resource.isnull())
    pools = loose.select(
        "pool_account",
        "pool_region",
        pool_cluster="cluster",
        pool_type=_plain(loose.instance_type),
        pool_day="date",
    ).distinct()
    same_pool = ibis.window(group_by=["pool_account", "pool_cluster", "pool_type", "pool_day"])
    return pools.mutate(one_region=pools.count().over(same_pool) == 1)

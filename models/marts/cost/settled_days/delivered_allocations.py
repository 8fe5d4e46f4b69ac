"""Adds to a cluster's rows whether the job allocations of that day are delivered (METHOD §1.1).

Two accounts, or regions, may call their clusters alike. Where several tell of a name, each settles
the days of its own machines alone.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.attribution_groups import OF_RUNS
from models.marts.cost.attribution_buckets import UNDELIVERED

EITHER = ""
"""The place of a cluster whose name only one account and region uses."""


def with_cluster_place(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `cluster_place`: the account if several have a cluster of that name, else "" (`EITHER`).

    Where several regions of the account do, the region is named, too: `999900000001-us-east-1`.
    """
    named = allocation_days.filter(allocation_days.account.notnull())
    several = named.select(several="cluster").distinct()
    regional = named.filter(named.region.notnull()).select(regional="cluster", of="account")
    joined = rows.left_join(several, rows.cluster == several.several)
    of_account = [joined.cluster == regional.regional, joined.account == regional.of]
    joined = joined.left_join(regional.distinct(), of_account)
    region = ibis.ifelse(joined.regional.isnull(), None, joined.region)
    place = ibis.ifelse(joined.several.isnull(), EITHER, _place(joined.account, region))
    return joined.select(*rows.columns, cluster_place=place.fill_null(EITHER))


def with_delivered(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `delivered`: whether job allocations of the row's cluster and day came in full.

    It is true of no cluster, and of one whose jobs the bill itself tells: pods. `cluster_place`
    says in which place they must have been (`with_cluster_place`).
    """
    full = allocation_days.filter(allocation_days.complete)
    of_all = full.filter(full.account.isnull()).select(of_all="cluster", day_of_all="day")
    place = _place(full.account, full.region)
    of_one = full.select(of_one="cluster", day_of_one="day", place=place).distinct()
    delivered = allocation_days.select(with_days="cluster").distinct()
    by_all = [rows.cluster == of_all.of_all, rows.date == of_all.day_of_all]
    joined = rows.left_join(of_all.distinct(), by_all)
    by_one = [
        joined.cluster == of_one.of_one,
        joined.date == of_one.day_of_one,
        joined.cluster_place == of_one.place,
    ]
    joined = joined.left_join(of_one, by_one)
    joined = joined.left_join(delivered, joined.cluster == delivered.with_days)
    known = joined.of_all.notnull() | joined.of_one.notnull() | joined.with_days.isnull()
    return joined.select(*rows.columns, delivered=ibis.coalesce(known, False))


def before_the_first(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `before_first`: whether the row's day is before its cluster's first job allocations.

    What tags say of those days stays as it was before there was a scheduler to ask. Where several
    have a cluster of the name, the first delivery is that of the row's place (`cluster_place`).
    """
    rows = rows.view()  # Ibis joins no join again
    place = ibis.coalesce(_place(allocation_days.account, allocation_days.region), EITHER)
    days = allocation_days.mutate(place=place)
    first = days.group_by(first_of="cluster", first_in="place").agg(first_day=days.day.min())
    of_all = first.filter(first.first_in == EITHER).select(all_of="first_of", of_all="first_day")
    own = [rows.cluster == first.first_of, rows.cluster_place == first.first_in]
    placed = rows.left_join(first, own).select(*rows.columns, "first_day").view()
    joined = placed.left_join(of_all, placed.cluster == of_all.all_of)
    early = joined.date < ibis.least(joined.first_day, joined.of_all)
    return joined.select(*rows.columns, before_first=early.fill_null(False))


def delivery_of(rows: ir.Table) -> dict[str, ir.BooleanValue]:
    """Returns columns `delivered`, and `known_by_tag`: a tag names the owner before any delivery.

    A tag on a machine tells enough of a day before the cluster's first delivery.
    """
    missing = (rows.holding == UNDELIVERED).fill_null(False)
    owned = rows.attribution.isin(OF_RUNS)
    return {
        "delivered": rows.delivered & ~missing,
        "known_by_tag": (owned & missing & rows.before_first).fill_null(False),
    }


def _place(account: ir.Value, region: ir.Value) -> ir.Value:
    return ibis.coalesce(account + "-" + region, account)

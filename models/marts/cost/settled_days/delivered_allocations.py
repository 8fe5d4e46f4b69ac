"""Adds to a cluster's rows whether its allocations of that day are delivered (METHOD §1.1).

Two accounts may call their clusters alike. Where several tell of a name, each settles the days of
its own machines alone.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

EITHER = ""
"""In place of an account: that of a cluster whose name no two accounts tell of."""


def with_told_in(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `told_in`: the row's account if several tell of its cluster's name, else `EITHER`."""
    named = allocation_days.filter(allocation_days.account.notnull())
    alike = named.select(alike="cluster").distinct()
    joined = rows.left_join(alike, rows.cluster == alike.alike)
    account = ibis.ifelse(joined.alike.isnull(), EITHER, joined.account.fill_null(EITHER))
    return joined.select(*rows.columns, told_in=account)


def with_delivered(rows: ir.Table, allocation_days: ir.Table) -> ir.Table:
    """Adds `delivered`: whether allocations of the row's cluster and day were delivered in full.

    It is true of no cluster, and of one whose jobs the bill itself tells: pods. `told_in` says in
    which account they must have been (`with_told_in`).
    """
    full = allocation_days.filter(allocation_days.complete)
    of_all = full.filter(full.account.isnull()).select(of_all="cluster", day_of_all="day")
    of_one = full.select(of_one="cluster", day_of_one="day", account_of_one="account").distinct()
    told = allocation_days.select(told="cluster").distinct()
    by_all = [rows.cluster == of_all.of_all, rows.date == of_all.day_of_all]
    joined = rows.left_join(of_all.distinct(), by_all)
    by_one = [
        joined.cluster == of_one.of_one,
        joined.date == of_one.day_of_one,
        joined.told_in == of_one.account_of_one,
    ]
    joined = joined.left_join(of_one, by_one)
    joined = joined.left_join(told, joined.cluster == told.told)
    known = joined.of_all.notnull() | joined.of_one.notnull() | joined.told.isnull()
    return joined.select(*rows.columns, delivered=ibis.coalesce(known, False))

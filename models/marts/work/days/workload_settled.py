"""Finds the last settled day of each workload (METHOD §1.1).

It is the earliest of the billing accounts that carry its charges, so that one stalled export never
lets half a day's cost meet a whole day's epochs. A workload that reports without a charge waits for
every account, one that only the config names for none. `latest` is the last settled day of any
account; `held_by` names the account that holds a workload more than `LAG` days before it.
`recent_since` is the first of the workload's 84 settled days up to its last one: days of which
allocations are missing are none of them.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.consecutive_days import with_spells
from models.contract.rules.missing_allocations import lacks_allocations
from models.contract.rules.recent_window import DAYS

LAG = 7
NEAR = 31
"""Days within which a workload that held machines of a cluster may have held them again."""
NEAR_THE_FIRST = 1
"""The same before the cluster's first delivery, of a job that went on over it. Earlier days stay as
they were without a scheduler, where work that no charge names counts nowhere (METHOD §4.2)."""


@step(
    grain="workload",
    units="dates, UTC",
    nulls="held_by: no account is far behind the others; undelivered: no such day",
    method="§1.1",
    whose="workload",
)
def workload_settled(
    spend_daily: ir.Table,
    run_registry: ir.Table,
    settled_accounts: ir.Table,
    config_workloads: ir.Table,
    config_investments: ir.Table,
    pool_days: ir.Table,
) -> ir.Table:
    """Returns each workload's last settled day, and the account that delays it by over a week."""
    billed = spend_daily.filter(spend_daily.workload.notnull()).select(
        "workload", "billing_account"
    )
    known = settled_accounts.select(account_="billing_account", through="settled_through")
    placed = billed.join(known, [billed.billing_account.identical_to(known.account_)])
    own = placed.group_by("workload").agg(
        own=placed.through.min(), slowest=placed.billing_account.argmin(placed.through)
    )
    seen = billed.select("workload").union(run_registry.select("workload")).distinct()
    planned = config_workloads.select("workload").union(
        config_investments.filter(config_investments.workload.notnull()).select("workload")
    )
    names = seen.mutate(waits=True).union(
        planned.distinct().anti_join(seen, "workload").mutate(waits=False)
    )
    everywhere = settled_accounts.agg(
        everywhere=settled_accounts.settled_through.min(),
        latest=settled_accounts.settled_through.max(),
    )
    joined = left_join(names, own, ["workload"]).cross_join(everywhere)
    through = ibis.coalesce(joined.own, ibis.ifelse(joined.waits, joined.everywhere, joined.latest))
    rows = left_join(joined.mutate(through=through), _undelivered(pool_days), ["workload"])
    at_the_end = (rows.newest_missing >= rows.through) & (rows.before_missing < rows.through)
    early = at_the_end.fill_null(False)
    through = ibis.ifelse(early, rows.before_missing, rows.through)
    behind = rows.latest.epoch_days() - through.epoch_days() > LAG
    found = rows.select(
        "workload",
        "latest",
        "undelivered",
        settled_through=through,
        held_by=ibis.ifelse(behind & ~early, rows.slowest, None),
    )
    return left_join(found, _recent_since(found), ["workload"])


def settled_on(date: ir.Value, rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a day is settled for the row's workload (`workload_settled`)."""
    hole = rows.undelivered.contains(date).fill_null(False)
    return cast(ir.BooleanValue, (date <= rows.settled_through) & ~hole)


def _recent_since(rows: ir.Table) -> ir.Table:
    """Returns the first of each workload's 84 settled days up to its last one."""
    missing = ibis.ifelse(rows.undelivered.isnull(), 0, rows.undelivered.length())
    back = rows.mutate(back=ibis.range(0, (missing + DAYS).cast("int64")).unnest())
    date = (back.settled_through - back.back.as_interval("D")).cast("timestamp").date()
    days = back.select("workload", "back", recent_since=date, settled=settled_on(date, back))
    days = days.filter(days.settled)
    number = ibis.row_number().over(ibis.window(group_by="workload", order_by=days.back))
    days = days.mutate(number=number)
    return days.filter(days.number == DAYS - 1).select("workload", "recent_since")


def _undelivered(pool_days: ir.Table) -> ir.Table:
    """Lists each workload's days whose job allocations are missing, and the last of them.

    They are those of clusters whose machines it held near such a day, or whose machines bear its
    tag on it.

    `before_missing` is the day before the days without a break that end with the last one.
    """
    of_jobs = pool_days.filter(~pool_days.by_tag)
    held = of_jobs.filter(of_jobs.workload.notnull() & of_jobs.delivered)
    held = held.select("workload", "cluster", "cluster_place", held_on="date").distinct()
    missing = pool_days.filter(lacks_allocations(pool_days))
    missing = missing.select("cluster", "cluster_place", "date", "before_first")
    both = missing.distinct().join(held, ["cluster", "cluster_place"])
    apart = (both.date.epoch_days() - both.held_on.epoch_days()).abs()
    tagged = pool_days.filter(pool_days.waiting.notnull() & lacks_allocations(pool_days))
    every = (
        both.filter(apart <= ibis.ifelse(both.before_first, NEAR_THE_FIRST, NEAR))
        .select("workload", "date")
        .union(tagged.select("date", workload="waiting").select("workload", "date"))
    )
    days = with_spells(every.distinct(), ["workload"])
    last = days.spell.max().over(ibis.window(group_by=[days.workload]))
    days = days.mutate(final=days.spell == last)
    found = days.group_by("workload").agg(
        undelivered=days.date.collect(),
        newest_missing=days.date.max(),
        first_of_last=days.date.min(where=days.final),
    )
    before = (found.first_of_last - ibis.interval(days=1)).cast("timestamp").date()
    return found.mutate(before_missing=before).drop("first_of_last")

"""How fresh each feed is, and what asking cost today.

Grain: source × account: the billing account of a bill, the account that progress was pulled from.
`last_success` is when the newest delivery was pulled; `newest_day` its newest charge or sample;
`gap_days` the days without one between first and newest. `restated_cost` is null until restatements
are recorded. Dollars are what AWS bills for requests: each stands on the account it was asked of,
else on the source's first account, and once; a source that asked and brought nothing yet has a row
of its own. `notice` is what must be known of what the last pull brought though nothing failed: a
cost allocation tag that is not activated.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.joins import alike
from models.money import ZERO, money
from models.schema import MARTS

KEYS = ("source", "account")


def freshness(
    delivered: ir.Table, requested: ir.Table, settled_accounts: ir.Table, noticed: ir.Table
) -> ir.Table:
    """`delivered`: a row per source, account and day; `requested`: one per paid request today."""
    seen = delivered.group_by(*KEYS).agg(
        last_success=delivered.pulled_at.max(),
        newest_day=delivered.day.max(),
        first_day=delivered.day.min(),
        days=delivered.day.nunique(),
    )
    rows = _both(seen, _asked(requested, seen))
    settled = settled_accounts.select("billing_account", "settled_through")
    rows = rows.left_join(settled, rows.account == settled.billing_account)
    told = noticed.select("notice", told_of="source")
    rows = rows.left_join(told, rows.source == told.told_of).drop("told_of")
    whole = rows.newest_day.epoch_days() - rows.first_day.epoch_days() + 1
    return rows.mutate(
        gap_days=ibis.ifelse(rows.account.isnull(), None, (whole - rows.days).cast("int64")),
        restated_cost=ibis.null("decimal(38, 9)"),
        requests_today=ibis.coalesce(rows.requests_today, 0).cast("int64"),
        dollars_today=money(ibis.coalesce(rows.dollars_today, ZERO)),
    ).select(*MARTS["freshness"])


def _asked(requested: ir.Table, seen: ir.Table) -> ir.Table:
    """Requests and dollars by the row of `freshness` that they stand on."""
    homes = seen.group_by(home_of="source").agg(home=seen.account.min())
    mine = seen.select(known_of="source", known="account")
    paid = requested.left_join(homes, requested.source == homes.home_of)
    paid = paid.left_join(mine, [paid.source == mine.known_of, paid.account == mine.known])
    paid = paid.mutate(
        account=ibis.cases(
            (paid.known.notnull() | paid.home_of.isnull(), paid.account), else_=paid.home
        )
    )
    return paid.group_by(*KEYS).agg(requests_today=paid.count(), dollars_today=paid.dollars.sum())


def _both(seen: ir.Table, asked: ir.Table) -> ir.Table:
    """Every row of either; accounts that nobody names are one."""
    keys = seen.select(*KEYS).union(asked.select(*KEYS)).distinct()
    for part in (seen, asked):
        named = part.rename(**{f"{key}_of": key for key in KEYS})
        keys = keys.left_join(named, alike(keys, named, KEYS, "_of")).drop(
            *(f"{key}_of" for key in KEYS)
        )
    return keys

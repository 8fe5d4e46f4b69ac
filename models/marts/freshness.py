"""How fresh each feed is, and what asking cost today.

Grain: source × account. `last_success` is when the newest delivery was pulled; `newest_day` its
newest charge or sample; `gap_days` the days without a charge between first and newest.
`restated_cost` is null until restatements are recorded. Dollars are what AWS bills for requests.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import ZERO, money
from models.schema import MARTS


def freshness(delivered: ir.Table, requested: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """`delivered`: a row per source, account and day; `requested`: one per paid request today."""
    seen = delivered.group_by("source", "account").agg(
        last_success=delivered.pulled_at.max(),
        newest_day=delivered.day.max(),
        first_day=delivered.day.min(),
        days=delivered.day.nunique(),
    )
    asked = requested.group_by("source").agg(
        requests_today=requested.count(), dollars_today=requested.dollars.sum()
    )
    rows = seen.left_join(asked, "source").drop("source_right")
    settled = settled_accounts.select("billing_account", "settled_through")
    rows = rows.left_join(settled, rows.account == settled.billing_account)
    whole = rows.newest_day.epoch_days() - rows.first_day.epoch_days() + 1
    return rows.mutate(
        gap_days=ibis.ifelse(rows.account.isnull(), None, (whole - rows.days).cast("int64")),
        restated_cost=ibis.null("decimal(38, 9)"),
        requests_today=ibis.coalesce(rows.requests_today, 0).cast("int64"),
        dollars_today=money(ibis.coalesce(rows.dollars_today, ZERO)),
    ).select(*MARTS["freshness"])

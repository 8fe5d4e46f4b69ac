"""Finds each billing account's last settled day, up to which its bill is complete.

A day is settled when it is at least `settle_days` before `as_of` and not after the newest usage day
delivered for the account, so that a stalled export never turns into $0 (METHOD §1.1). Other charges
say nothing about usage (`billed_days`). Example: `as_of` 2026-10-31, `settle_days` 3, newest usage
2026-10-20: settled through 2026-10-20.

An account that the config calls closed holds nothing back once its bill has a charge of any kind on
its last day and no usage after it: what follows is known to be nothing. One whose bill ends earlier
has stalled, closed or not. A `closed` date with usage after it is ignored (`contradicted`).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart


@mart(
    grain="billing_account",
    units="none",
    nulls="billing_account: the bill names none; contradicted: `closed` is not set, or holds",
    method="§1.1",
    whose="company",
)
def settled_accounts(
    billed_days: ir.Table,
    config_accounts: ir.Table,
    delivered_months: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Returns each billing account's newest usage day and last settled day.

    `newest_month` is the newest month delivered of its bill, with or without a charge of its own.
    """
    closed = config_accounts.select("account", "closed")
    days = billed_days.left_join(closed, billed_days.billing_account == closed.account)
    rows = days.group_by("billing_account", "closed").agg(
        newest_day=ibis.coalesce(days.date.max(where=days.shows_usage), days.date.max()),
        ended=(days.date == days.closed).any(),
        outlived=(days.shows_usage & (days.date > days.closed)).any(),
        billed=days.billing_period.max().strftime("%Y-%m"),
    )
    months = delivered_months.select("month", payer="billing_account")
    rows = rows.left_join(months, rows.billing_account.identical_to(months.payer))
    old_enough = ibis.literal(settings.last_settled)
    complete = rows.ended & ~rows.outlived
    return rows.select(
        "billing_account",
        "newest_day",
        settled_through=ibis.ifelse(complete, old_enough, ibis.least(rows.newest_day, old_enough)),
        contradicted=ibis.ifelse(rows.outlived, rows.closed, None),
        newest_month=ibis.greatest(rows.billed, rows.month.fill_null(rows.billed)),
    )


def with_settled(rows: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Adds `settled`: whether the bill of the row's date and billing account is complete."""
    through = settled_accounts.select("settled_through", of="billing_account")
    joined = rows.left_join(through, rows.billing_account.identical_to(through.of))
    settled = (joined.date <= joined.settled_through).name("settled")
    return joined.select(*rows.columns, settled)

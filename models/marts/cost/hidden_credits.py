"""Whose credits and discounts may be hidden, so that nothing seen is not nothing.

Grain: month (billing period) × workload, and `(portfolio)`. A payer may keep credits, refunds and
discounts from its members' own Cost Explorer, for all of them alike. `accounts` names the members
whose bill came from there and has never shown a credit.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import PORTFOLIO


def hidden_credits(spend_daily: ir.Table, member_bills: ir.Table) -> ir.Table:
    """`month`, `workload`, `accounts`."""
    seen = spend_daily.filter(spend_daily.attribution == "credit").select("billing_account")
    silent = member_bills.anti_join(seen, "billing_account")
    rows = spend_daily.semi_join(silent, "billing_account").select(
        "workload", "billing_account", month="billing_period"
    )
    named = rows.filter(rows.workload.notnull())
    every = named.union(rows.mutate(workload=ibis.literal(PORTFOLIO)).select(rows.columns))
    each = every.distinct()
    return each.group_by("month", "workload").agg(
        accounts=each.billing_account.collect(order_by=each.billing_account).join(", ")
    )

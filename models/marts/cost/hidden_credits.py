"""Lists accounts whose payer may hide their credits and discounts (METHOD §2.2).

A payer may hide credits, refunds and discounts from its members' own Cost Explorer, for all of them
at once. So a member whose bill came from there and never showed a credit may still have credits:
their amount is unknown, not zero.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.schema import PORTFOLIO


@step(
    grain="month (billing period) × workload, and `(portfolio)`",
    units="none",
    nulls="none",
    method="§2.2",
    whose="workload",
)
def hidden_credits(spend_daily: ir.Table, member_bills: ir.Table) -> ir.Table:
    """Lists, per month and workload, the accounts whose payer may hide credits, as one text."""
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

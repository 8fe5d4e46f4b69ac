"""The last settled day of each workload.

Grain: workload. The earliest of the billing accounts that carry its charges, so that one stalled
export never lets half a day's cost meet a whole day's epochs; a workload without a charge waits
for every account.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def workload_settled(
    spend_daily: ir.Table, run_registry: ir.Table, settled_accounts: ir.Table
) -> ir.Table:
    """`workload`, `settled_through`."""
    billed = spend_daily.filter(spend_daily.workload.notnull()).select(
        "workload", "billing_account"
    )
    known = settled_accounts.select(account_="billing_account", through="settled_through")
    placed = billed.distinct().left_join(
        known, [billed.billing_account.identical_to(known.account_)]
    )
    own = placed.group_by("workload").agg(own=placed.through.min())
    names = billed.select("workload").union(run_registry.select("workload")).distinct()
    everywhere = settled_accounts.agg(everywhere=settled_accounts.settled_through.min())
    joined = names.left_join(own, "workload").drop("workload_right").cross_join(everywhere)
    return joined.select("workload", settled_through=ibis.coalesce(joined.own, joined.everywhere))

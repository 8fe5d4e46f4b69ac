"""Finds the last settled day of each workload (METHOD §1.1).

It is the earliest of the billing accounts that carry its charges, so that one stalled export never
lets half a day's cost meet a whole day's epochs. A workload that reports without a charge waits for
every account, one that only the config names for none. `latest` is the last settled day of any
account; `held_by` names the account that holds a workload more than `LAG` days before it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join

LAG = 7


@step(
    grain="workload",
    units="dates, UTC",
    nulls="held_by: no account is far behind the others",
    method="§1.1",
    whose="workload",
)
def workload_settled(
    spend_daily: ir.Table,
    run_registry: ir.Table,
    settled_accounts: ir.Table,
    config_workloads: ir.Table,
    config_investments: ir.Table,
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
    behind = joined.latest.epoch_days() - through.epoch_days() > LAG
    return joined.select(
        "workload",
        "latest",
        settled_through=through,
        held_by=ibis.ifelse(behind, joined.slowest, None),
    )

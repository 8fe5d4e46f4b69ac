"""Sums the dollars in no figure yet: their day lacks bill lines or job allocations (METHOD §1.1).

A day waits for the rest of its `bill` or, once the bill is complete, for the `allocations` of a
cluster. Example: nobody delivered who held a node on 4 September, which cost $480: $480 wait for
allocations, and no run, saving or loss has them. Workload `w`, which holds machines of the cluster,
does not count that day at all: $20 of a machine that bears the tag of its run wait as well
(`workload_day`).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import known_sum
from models.contract.rules.attribution_groups import OF_TRAINING
from models.contract.rules.known_cost import known_cost
from models.contract.schema import EXPLAINERS
from models.marts.cost.settled_days.settled_accounts import with_settled


@mart(
    grain="date × waits_for (`bill`, `allocations`, `workload_day`)",
    units="dollars on `cost.basis`; of `allocations` those of machines, without volumes",
    nulls="cost: a price is missing",
    method="§1.1, §2.10",
    whose="company",
)
def unsettled_spend(
    spend_daily: ir.Table,
    pool_days: ir.Table,
    settled_accounts: ir.Table,
    calendar: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Sums by day the delivered dollars that wait for the rest of a bill, or for job allocations.

    `workload_day`: charges whose owner is known, of a workload whose day waits for allocations.
    """
    spend = spend_daily.filter(spend_daily.attribution.isin(OF_TRAINING))
    spend = spend.rename(is_settled="settled")
    dated = with_settled(spend, settled_accounts)
    of_bill = dated.filter(~dated.settled).mutate(waits_for=ibis.literal("bill"))
    own = _of_waiting_workloads(dated.filter(dated.settled), calendar, workload_settled)
    awaiting = pool_days.filter(pool_days.awaited).mutate(waits_for=ibis.literal("allocations"))
    rows = ibis.union(
        *(
            part.select("date", "waits_for", cost=known_cost(part, settings.cost.basis))
            for part in (of_bill, own, awaiting)
        )
    )
    sums = rows.group_by("date", "waits_for").agg(cost=known_sum(rows.cost))
    return sums.select(*EXPLAINERS["unsettled_spend"])


def _of_waiting_workloads(
    spend: ir.Table, calendar: ir.Table, workload_settled: ir.Table
) -> ir.Table:
    """Selects charges of complete bills on days unsettled for their workload; adds what they await.

    Such a day waits for allocations, else for the bill of another account. Without the machines
    that lack allocations themselves.
    """
    days = calendar.filter(~calendar.settled).select("workload", "date")
    rows = spend.filter(spend.is_settled | (spend.component != "accelerator"))
    rows = rows.join(days, ["workload", "date"]).select(*rows.columns)
    rows = left_join(rows, workload_settled.select("workload", "undelivered"), ["workload"])
    lacks = rows.undelivered.contains(rows.date).fill_null(False)
    return rows.mutate(waits_for=ibis.ifelse(lacks, "workload_day", "bill"))

"""Sums the dollars that are in no figure yet, because their day waits for something (METHOD §1.1).

A day waits for the rest of its `bill` or, once the bill is complete, for the `allocations` of a
cluster. Example: nobody delivered who held a node on 4 September, which cost $480: $480 wait for
allocations, and no run, saving or loss has them.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import known_sum
from models.contract.rules.attribution_groups import OF_TRAINING
from models.contract.rules.known_cost import known_cost
from models.contract.schema import EXPLAINERS
from models.marts.cost.settled_days.settled_accounts import with_settled


@mart(
    grain="date × waits_for (`bill`, `allocations`)",
    units="dollars on `cost.basis`; of `allocations` those of machines, without volumes",
    nulls="cost: a price is missing",
    method="§1.1, §2.10",
    whose="company",
)
def unsettled_spend(
    spend_daily: ir.Table, pool_days: ir.Table, settled_accounts: ir.Table, settings: Settings
) -> ir.Table:
    """Sums by day the delivered dollars that wait for the rest of a bill, or for allocations."""
    spend = spend_daily.filter(spend_daily.attribution.isin(OF_TRAINING)).drop("settled")
    open_days = with_settled(spend, settled_accounts).filter(lambda row: ~row.settled)
    untold = pool_days.filter(pool_days.awaited)
    parts = [
        rows.select(
            "date", waits_for=ibis.literal(name), cost=known_cost(rows, settings.cost.basis)
        )
        for name, rows in (("bill", open_days), ("allocations", untold))
    ]
    rows = ibis.union(*parts)
    sums = rows.group_by("date", "waits_for").agg(cost=known_sum(rows.cost))
    return sums.select(*EXPLAINERS["unsettled_spend"])

"""Sums shared machines' hours and cost by day: by who held them, or why idle (METHOD §2.10).

A row without a workload is nobody's, or that of unknown jobs; only readers of the whole
company see it.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import known_sum
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.rules.known_cost import known_cost
from models.contract.schema import EXPLAINERS

KEYS = (
    "date", "cluster", "instance_type", "platform", "hardware", "holding", "workload", "run",
    "settled", "delivered", "awaited",
)  # fmt: skip


@mart(
    grain="date × cluster × instance_type × holding × workload × run",
    units="accelerator-hours; dollars on `cost.basis`",
    nulls="workload, run: unknown; cost: a price is missing",
    method="§2.10",
    whose="run",
)
def pool_use(pool_days: ir.Table, settings: Settings) -> ir.Table:
    """Sums accelerator-hours and cost of each machine pool by day and owner, or why idle.

    `settled` needs the bill and the allocations of the day, `delivered` the allocations alone.
    `awaited`: the bill is settled, but who held the machines waits for allocations.
    `over_allocated`: jobs held more than the machine had; `by_day`: the bill has no hours.
    """
    flags = pool_days.allocation_flags.fill_null("")
    rows = pool_days.mutate(
        cost=known_cost(pool_days, settings.cost.basis),
        over_allocated=flags.contains(OVER),
        by_day=flags.contains(DAILY),
    )
    sums = rows.group_by(*KEYS, "over_allocated", "by_day").agg(
        accelerator_hours=rows.accelerator_hours.sum(), cost=known_sum(rows.cost)
    )
    columns = EXPLAINERS["pool_use"]
    return sums.select(**{name: sums[name].cast(dtype) for name, dtype in columns.items()})

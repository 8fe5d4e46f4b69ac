"""Computes how much of each cluster's machine time job allocations explain (METHOD §2.10)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.schema import MARTS
from models.marts.cost.pools.who_held import who_held


@mart(
    grain="month × cluster",
    units="accelerator-hours on the bill; days; over_allocated_seconds: seconds of machines",
    nulls="coverage: the bill has no accelerator-hours",
    method="§2.10",
    whose="company",
)
def allocation_coverage(pool_days: ir.Table, over_allocations: ir.Table) -> ir.Table:
    """Sums each cluster's accelerator-hours by month: of known owners, of unknown jobs, of nobody.

    Hours that bear a run tag need no allocation: they are known.
    `over_allocated_hours` are those of periods in which jobs held more than the machine had, and
    `over_allocated_seconds` by how much (of whole machines); `daily_hours` are those of a bill by
    day, held and idle ones. What nobody is known to have held on days without allocations is
    `undelivered_hours`: not idle, and not divided by the day. `undelivered_days` are those of them
    whose bill is settled: this morning's allocations are not late.
    """
    rows = pool_days.mutate(month=pool_days.date.strftime("%Y-%m"))
    hours, flags = rows.accelerator_hours, rows.allocation_flags.fill_null("")
    holds = who_held(rows)
    parts = {
        "known_hours": holds["held"],
        "unknown_hours": holds["unknown"],
        "idle_hours": holds["idle"],
        "undelivered_hours": holds["undelivered"],
        "over_allocated_hours": flags.contains(OVER),
        "daily_hours": flags.contains(DAILY),
    }
    sums = rows.group_by("month", "cluster").agg(
        accelerator_hours=hours.sum(),
        **{name: ibis.coalesce(hours.sum(where=of), 0) for name, of in parts.items()},
        days=rows.date.nunique(),
        undelivered_days=rows.date.nunique(where=rows.awaited),
    )
    over = over_allocations.mutate(month=over_allocations.date.strftime("%Y-%m"))
    seconds = over.group_by("month", "cluster").agg(over_allocated_seconds=over.over_seconds.sum())
    sums = left_join(sums, seconds, ["month", "cluster"])
    known = sums.mutate(
        coverage=ratio(sums.known_hours, sums.accelerator_hours),
        over_allocated_seconds=ibis.coalesce(sums.over_allocated_seconds, 0),
    )
    return known.select(
        **{name: known[name].cast(dtype) for name, dtype in MARTS["allocation_coverage"].items()}
    )

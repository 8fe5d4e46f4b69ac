"""Loss of a run against the dollars and instance-hours that its lineage had accrued by then.

A day's cost is spread evenly over the day. A sample at noon of a first day that costs $100 stands
at $50.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import PLACES, known_sum, money


@mart(
    grain="workload × run × observed_at",
    units="dollars on `cost.basis`; instance-hours",
    nulls="epoch: not reported; cost_so_far: from the first day of unknown cost on",
    method="§3.5",
    whose="run",
)
def loss_curve(samples: ir.Table, work_daily: ir.Table, lineages: ir.Table) -> ir.Table:
    """Returns each loss sample of a run with its lineage's cost and hours up to that moment."""
    days = work_daily.group_by("workload", "lineage", "date").agg(
        cost=known_sum(work_daily.cost), hours=work_daily.instance_hours.sum()
    )
    so_far = ibis.cumulative_window(group_by=["workload", "lineage"], order_by="date")
    unknown = days.cost.isnull().any().over(so_far)
    days = days.mutate(
        cost_until=ibis.ifelse(unknown, None, days.cost.sum().over(so_far)),
        hours_until=days.hours.sum().over(so_far),
    )
    numbers = samples.filter(samples.loss.notnull() & ~samples.loss.isnan())
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    on_days = numbers.join(lineages.join(kinds, ["workload", "run"]), ["workload", "run"])
    on_days = on_days.mutate(date=on_days.observed_at.date())
    rows = on_days.join(days, ["workload", "lineage", "date"])
    part = rows.observed_at.epoch_seconds() % 86_400
    left = 1 - part.cast("float64") / 86_400
    return rows.select(
        "workload",
        "run",
        "hardware",
        "observed_at",
        "epoch",
        "loss",
        cost_so_far=_so_far(rows.cost_until, rows.cost, left),
        hours_so_far=_so_far(rows.hours_until, rows.hours, left),
    )


def _so_far(until: ir.Value, on_the_day: ir.Value, left: ir.Value) -> ir.DecimalValue:
    """Returns a lineage's running total at the time of a sample within the day, in floats."""
    return money((until.cast("float64") - on_the_day.cast("float64") * left).round(PLACES))

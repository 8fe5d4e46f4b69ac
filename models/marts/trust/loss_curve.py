"""Returns each loss of a run with the dollars and time that its lineage of runs took by then.

A day's cost is spread evenly over the day: a sample at noon of a first day that costs $100 is at
$50. `clock_so_far` are the hours since the lineage's first active hour, gaps included; a lineage on
four machines has used four instance-hours in each.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import PLACES, known_sum, money
from models.contract.rules.work.wall_clock import hours_between

LINE = ["workload", "lineage"]


@mart(
    grain="workload × run × observed_at",
    units="dollars on `cost.basis`; instance-hours; hours",
    nulls="epoch: not reported; cost_so_far: from the first day of unknown cost on; clock_so_far: "
    "when the lineage began is unknown",
    method="§3.5",
    whose="run",
)
def loss_curve(
    samples: ir.Table, work_daily: ir.Table, lineages: ir.Table, run_hours: ir.Table
) -> ir.Table:
    """Returns each loss sample of a run with cost and hours of its lineage of runs until then."""
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
    rows = on_days.join(days, [*LINE, "date"])
    rows = left_join(rows, _began(lineages, run_hours), LINE)
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
        clock_so_far=hours_between(rows.began, rows.observed_at),
    )


def _began(lineages: ir.Table, run_hours: ir.Table) -> ir.Table:
    """Returns the first active hour of each lineage of runs; null if that of one run is unknown."""
    rows = lineages.join(run_hours, ["workload", "run"])
    began = ibis.ifelse(rows.began.isnull().any(), None, rows.began.min())
    return rows.group_by(LINE).agg(began=began)


def _so_far(until: ir.Value, on_the_day: ir.Value, left: ir.Value) -> ir.DecimalValue:
    """Returns a running total (cost, hours) at the time of a sample within the day."""
    return money((until.cast("float64") - on_the_day.cast("float64") * left).round(PLACES))

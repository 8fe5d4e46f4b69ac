"""Computes the cost of a unit of work by week and by month, for each training recipe.

Σ cost ÷ Σ epochs over settled days, failed runs included, never a mean of ratios (METHOD §4).
Example: one run of $100 and 10 epochs and one of $300 and 10 epochs cost $20 an epoch. Port and
validation runs, and runs without accelerator-hours or of unknown cost, are not in it. Neither are,
with cost and work, lineages that report progress which the unit does not count, or that state
several recipes, nor GPU lineages that never reported (`counted_in_unit` of `unit_daily`): their
cost bought work that is not in the sum. `settled` says that the whole period is.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import ratio
from models.contract.rules.work.kinds_of_work import recipe_of
from models.contract.schema import MARTS, NUMBER

PERIODS = {"week": ("W", ibis.interval(weeks=1)), "month": ("M", ibis.interval(months=1))}


@mart(
    grain="period (`week` from its ISO Monday, `month`) × period_start × workload × recipe × "
    "hardware",
    units="dollars on `cost.basis` per `unit`",
    nulls="cost_per_epoch: no work in the period; recipe: none is stated",
    method="§4.1, §4.2",
    whose="workload",
)
def cost_per_epoch(
    unit_daily: ir.Table, workload_settled: ir.Table, calendar: ir.Table
) -> ir.Table:
    """Computes the cost per unit of work by week and month, training recipe and hardware."""
    counted = unit_daily.in_lineage & unit_daily.counted_in_unit
    rows = unit_daily.filter(
        counted & unit_daily.settled & unit_daily.hardware.isin(("gpu", "trainium"))
    )
    each = (_by(period, rows, workload_settled, calendar) for period in PERIODS)
    return cast(ir.Table, ibis.union(*each))


def _by(period: str, rows: ir.Table, workload_settled: ir.Table, calendar: ir.Table) -> ir.Table:
    """Sums cost and work per week or month, and divides them."""
    length_name, length = PERIODS[period]
    sums = rows.group_by(
        period_start=_start(rows.date, length_name),
        workload="workload",
        kind="kind",
        unit="unit",
        main="main",
        hardware="hardware",
    ).agg(cost=rows.cost.sum(), epochs=rows.epochs.sum().cast(NUMBER), runs=rows.run.nunique())
    whole = calendar.group_by("workload", period_start=_start(calendar.date, length_name)).agg(
        whole=calendar.settled.all()
    )
    known = sums.join(workload_settled, "workload").join(whole, ["workload", "period_start"])
    end = known.period_start.cast("timestamp") + length - ibis.interval(days=1)
    return known.mutate(
        period=ibis.literal(period),
        recipe=recipe_of(known.kind),
        cost_per_epoch=ratio(known.cost, known.epochs),
        settled=known.whole & (end.date() <= known.settled_through),
    ).select(*MARTS["cost_per_epoch"])


def _start(date: ir.Value, length: str) -> ir.Value:
    """Returns the first day of a date's week or month."""
    return date.truncate(length).cast("timestamp").date()

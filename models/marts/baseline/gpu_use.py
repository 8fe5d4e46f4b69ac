"""Sums each run's GPU hours (resumed ones as one), their cost, and their cost at public prices.

Of days that are settled for the workload only, as its cost and work are. On-demand and committed
hours are one series. `effective_cost` is on the configured basis. `reference_cost` is the cost of
the same hours at the public price of their series (METHOD §5.3): for on-demand and committed hours
the bill's own list cost, or the price table × hours where the bill has none; otherwise the day's
Spot or Capacity Block price. Unknown prices make it null, never zero.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.money import known_sum, product
from models.contract.rules.join_price import with_price

ON_DEMAND = "on_demand"
SERIES = {"spot": "spot", "capacity_block": "capacity_block"}


@step(
    grain="workload × lineage × platform × instance type × region × series, of settled days",
    units="instance- and accelerator-hours; dollars on `cost.basis`",
    nulls="reference_cost, list_cost: a price is unknown",
    method="§5.3",
    whose="run",
)
def gpu_use(
    spend_daily: ir.Table, work_daily: ir.Table, price_steps: ir.Table, settings: Settings
) -> ir.Table:
    """Sums settled GPU hours and cost by lineage of runs, machine, region and price series."""
    days = work_daily.filter(work_daily.in_lineage & work_daily.settled)
    days = days.select("date", "workload", "run", "lineage")
    rows = spend_daily.filter(
        (spend_daily.component == "accelerator") & (spend_daily.hardware == "gpu")
    ).join(days, ["date", "workload", "run"])
    rows = rows.mutate(
        cost=rows[f"{settings.cost.basis}_cost"], series=series_of(rows.purchase_option)
    )
    priced = with_reference(rows, price_steps)
    return priced.group_by(
        "workload", "lineage", "platform", "instance_type", "region", "series"
    ).agg(
        instance_hours=priced.instance_hours.sum(),
        accelerator_hours=priced.accelerator_hours.sum(),
        effective_cost=priced.cost.sum(),
        list_cost=known_sum(priced.list_cost),
        reference_cost=known_sum(priced.reference),
    )


def series_of(option: ir.Value) -> ir.Value:
    """Converts purchase options to price series: `spot`, `capacity_block`, else `on_demand`."""
    return ibis.cases(*((option == given, name) for given, name in SERIES.items()), else_=ON_DEMAND)


def with_reference(rows: ir.Table, price_steps: ir.Table) -> ir.Table:
    """Adds `reference`: list cost of on-demand hours, else hours × public price of day and series.

    The series is Spot or Capacity Block. Where the bill has no list cost for on-demand hours, the
    day's public on-demand price is used.
    """
    priced = with_price(rows, price_steps, on="date")
    listed = product(priced.instance_hours, priced.usd_per_hour)
    on_demand = priced.series == ON_DEMAND
    return priced.mutate(
        reference=ibis.ifelse(on_demand, ibis.coalesce(priced.list_cost, listed), listed)
    )

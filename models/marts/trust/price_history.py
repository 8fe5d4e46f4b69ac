"""Lists all public prices of known instance types, with their periods."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import money
from models.contract.schema import EXPLAINERS

SERIES = ["instance_type", "region", "series"]


@mart(
    grain="instance type × region × purchase option × since",
    units="dollars per instance-hour",
    nulls="until: today; previous_usd_per_hour: the first price",
    method="§2.5",
    whose="company",
)
def price_history(price_steps: ir.Table, catalog: ir.Table) -> ir.Table:
    """Lists the public prices of known instance types, each with the price before it."""
    rows = with_previous_price(price_steps).join(catalog, "instance_type")
    return rows.mutate(
        purchase_option=rows.series,
        usd_per_hour=money(rows.usd_per_hour),
        previous_usd_per_hour=money(rows.previous),
    ).select(*EXPLAINERS["price_history"])


def with_previous_price(price_steps: ir.Table) -> ir.Table:
    """Adds to each public price the one before it in its series; null for the first."""
    order = ibis.window(group_by=SERIES, order_by=price_steps.since)
    return price_steps.mutate(previous=price_steps.usd_per_hour.lag().over(order))

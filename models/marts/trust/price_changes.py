"""Lists changes of the GPU prices behind a workload's baseline."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import money
from models.marts.trust.price_history import SERIES, with_previous_price


@mart(
    grain="workload × instance type × region × purchase option × effective_from",
    units="dollars per instance-hour",
    nulls="none",
    method="§2.5, §5.3",
    whose="workload",
)
def price_changes(gpu_use: ir.Table, price_steps: ir.Table) -> ir.Table:
    """Lists each change of a public price of the GPU machines that a workload used."""
    steps = with_previous_price(price_steps)
    changed = steps.filter(steps.previous != steps.usd_per_hour)
    used = gpu_use.select("workload", *SERIES).distinct().join(changed, SERIES)
    return used.select(
        "workload",
        "instance_type",
        "region",
        purchase_option="series",
        effective_from="since",
        usd_per_hour=money(used.usd_per_hour),
        previous_usd_per_hour=money(used.previous),
    )

"""What an hour of a commitment costs: rates of Savings Plans, and of reserved instances.

Grain: instance type × region × plan, the newest observation; dollars per instance-hour, an upfront
fee spread over the term. `years` is the term. Nothing is re-priced with it (METHOD §5); Decide sets
it beside on demand and Spot. Source: `savings_plans`, `price_list` and `prices`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import money
from models.contract.schema import EXPLAINERS

TERM = r", (\d+) yr(?:,|$)"


def committed_rates(prices: ir.Table) -> ir.Table:
    """One row per plan whose name says its term."""
    rows = prices.filter(prices.purchase_option == "committed")
    order = ibis.window(
        group_by=["instance_type", "region", "plan"],
        order_by=[
            ibis.desc(rows.observed_on),
            ibis.desc(rows.effective_from),
            ibis.desc(rows.usd_per_hour),
        ],
    )
    rows = rows.mutate(
        rank=ibis.row_number().over(order),
        years=rows.plan.re_extract(TERM, 1).nullif("").cast("int64"),
        usd_per_hour=money(rows.usd_per_hour),
    )
    newest = rows.filter((rows["rank"] == 0) & rows.years.notnull())
    return newest.select(*EXPLAINERS["committed_rates"])

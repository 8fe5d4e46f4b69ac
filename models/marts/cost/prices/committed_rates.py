"""Lists the hourly rates of Savings Plans and reserved instances.

An upfront fee is spread over the hours of its term where prices are read, in
`models.formats.market.reserved_terms`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import money
from models.contract.schema import EXPLAINERS

TERM = r", (\d+) yr(?:,|$)"


@mart(
    grain="instance_type × region × plan: the newest observation",
    units="dollars per instance-hour, an upfront fee spread over the term; years of the term",
    nulls="none",
    method="§2.5",
    whose="company",
)
def committed_rates(prices: ir.Table) -> ir.Table:
    """Lists each plan's newest committed hourly rate by instance type and region, if it has a term.

    No cost is re-priced with it: the page Decide shows it beside the on-demand and Spot prices. The
    sources are `savings_plans`, `price_list` and `prices`.
    """
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

"""Converts public prices to steps: the price of an instance-hour from one day to another.

A price holds until the next one. On-demand prices carry forward and are stale from 45 days after
the newest observation of their series (`stale_from`); Spot and Capacity Block series end there
(METHOD §2.5). A price observed before its effective date says nothing of the price until
then. The cheapest Capacity Block that EC2 offers on a day, by instance-hour, is an
observation too. Rates of Savings Plans are no series: committed hours follow the on-demand price
(METHOD §5.3).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import ratio
from models.contract.schema import AMOUNT, PRICES

STALE_DAYS = 45


@step(
    grain="instance type × region × series × since",
    units="dollars per instance-hour",
    nulls="until: in force; stale_from: Spot and Capacity Block series end instead",
    method="§2.5, §5.3",
    whose="company",
)
def price_steps(prices: ir.Table, capacity: ir.Table) -> ir.Table:
    """Converts prices to dated periods; Spot, Capacity Block ones end 45 days after last seen."""
    public = prices.filter(prices.purchase_option != "committed")
    prices = public.union(_offers(capacity))
    order = ibis.window(
        group_by=["instance_type", "region", "purchase_option", "effective_from"],
        order_by=[ibis.desc(prices.observed_on), prices.usd_per_hour],
    )
    ranked = prices.mutate(rank=ibis.row_number().over(order))
    newest = ranked.filter(ranked.rank == 0)
    series = ["instance_type", "region", "purchase_option"]
    in_force = prices.effective_from <= prices.observed_on
    seen = prices.group_by(series).agg(newest_seen=prices.observed_on.max(where=in_force))
    steps = newest.join(seen, series)
    since = steps.effective_from
    stale_from = _later(ibis.greatest(since, steps.newest_seen.fill_null(since)), STALE_DAYS)
    following = steps.effective_from.lead().over(
        ibis.window(group_by=series, order_by=steps.effective_from)
    )
    ends = ibis.ifelse(steps.purchase_option == "on_demand", None, stale_from)
    return steps.select(
        "instance_type",
        "region",
        series="purchase_option",
        since="effective_from",
        until=ibis.least(following, ends),
        usd_per_hour="usd_per_hour",
        stale_from=ibis.ifelse(steps.purchase_option == "on_demand", stale_from, None),
    )


def _offers(capacity: ir.Table) -> ir.Table:
    """Returns each day's lowest hourly fee of Capacity Blocks on offer, as rows of `prices`."""
    offers = capacity.filter((capacity.kind == "offer") & (capacity.fee > 0))
    hourly = ratio(offers.fee, offers.instances * offers.hours).cast(AMOUNT)
    lowest = offers.group_by("instance_type", "region", "observed_on").agg(price=hourly.min())
    known = {
        "instance_type": lowest.instance_type,
        "region": lowest.region,
        "purchase_option": ibis.literal("capacity_block"),
        "usd_per_hour": lowest.price,
        "effective_from": lowest.observed_on,
        "observed_on": lowest.observed_on,
    }
    return lowest.select(
        **{name: known.get(name, ibis.null(dtype)).cast(dtype) for name, dtype in PRICES.items()}
    )


def _later(day: ir.Value, days: int) -> ir.Value:
    """Adds a number of days to a date."""
    return (day + ibis.interval(days=days)).cast("timestamp").date()

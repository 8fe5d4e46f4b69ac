"""Public prices as steps: what an hour cost from when until when.

Grain: instance type × region × series × effective_from. Dollars per instance-hour. A price holds
until the next one. On-demand prices carry forward and are `stale` from 45 days after the newest
observation of their series; Spot and Capacity Block series end there (METHOD §2.5).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

STALE_DAYS = 45


def price_steps(prices: ir.Table) -> ir.Table:
    """Series, `since`, `until` (exclusive), `usd_per_hour`, `stale_from`."""
    order = ibis.window(
        group_by=["instance_type", "region", "purchase_option", "effective_from"],
        order_by=[ibis.desc(prices.observed_on), prices.usd_per_hour],
    )
    ranked = prices.mutate(rank=ibis.row_number().over(order))
    newest = ranked.filter(ranked.rank == 0)
    series = ["instance_type", "region", "purchase_option"]
    seen = prices.group_by(series).agg(newest_seen=prices.observed_on.max())
    steps = newest.join(seen, series)
    stale_from = _later(steps.newest_seen, STALE_DAYS + 1)
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


def _later(day: ir.Value, days: int) -> ir.Value:
    return (day + ibis.interval(days=days)).cast("timestamp").date()

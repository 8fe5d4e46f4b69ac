"""The longer statements of `queries`, as text."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.snapshot.charges import CONFIGURED_COST, PAID_HOURS, WORKED_DAYS
from dashboard.snapshot.rows import Row, range_of, read_rows

RATES = f"""
WITH used AS (
  SELECT date_trunc($period, date)::DATE AS period_start, platform, hardware, unpriced, listed,
         list_cost, accelerator_hours AS hours, {CONFIGURED_COST} AS cost
  FROM accelerator_days WHERE {WORKED_DAYS} AND {PAID_HOURS} AND date BETWEEN $first AND $last),
kinds AS (
  SELECT platform, arg_max(hardware, hours) AS hardware
  FROM (SELECT platform, hardware, sum(hours) AS hours FROM used GROUP BY ALL) GROUP BY platform)
SELECT period_start, platform, kinds.hardware,
       sum(hours) FILTER (NOT unpriced) AS hours, sum(cost) FILTER (NOT unpriced) AS cost,
       CASE WHEN bool_and(unpriced OR listed)
            THEN sum(list_cost) FILTER (NOT unpriced) END AS list,
       coalesce(sum(hours) FILTER (unpriced), 0) AS unpriced
FROM used JOIN kinds USING (platform) GROUP BY ALL ORDER BY platform, period_start"""
"""Hours that something used, with their cost and their cost at list prices."""

COVERAGE = f"""
SELECT strftime(date, '%Y-%m') AS month,
       sum(accelerator_hours) FILTER ({PAID_HOURS}) AS hours,
       {
    ", ".join(
        f"coalesce(sum(accelerator_hours) FILTER ({PAID_HOURS} AND purchase_option = '{name}'), 0) "
        f"AS {name}"
        for name in ("on_demand", "committed", "spot", "capacity_block")
    )
},
       coalesce(sum({CONFIGURED_COST}) FILTER (attribution = 'idle_commitment'), 0) AS idle
FROM accelerator_days
WHERE settled AND date BETWEEN $first AND $last
  AND ((component = 'accelerator' AND platform IS NOT NULL) OR attribution = 'idle_commitment')
GROUP BY month ORDER BY month DESC"""
"""Accelerator-hours of each month by how they were bought, and the idle of commitments."""

PRICE_STEPS = """
SELECT DISTINCT instance_type, platform, hardware, region, since,
       usd_per_hour, previous_usd_per_hour
FROM price_history h
WHERE purchase_option = 'on_demand' AND previous_usd_per_hour <> usd_per_hour
  AND since BETWEEN $first AND $last
  AND EXISTS (SELECT 1 FROM accelerator_days s
              WHERE s.instance_type = h.instance_type AND s.region = h.region)
ORDER BY since, instance_type"""
"""Changes of the on-demand prices of what the bill has hours of, where it has them."""

SPOT = """
SELECT instance_type, platform, hardware, region, since, until,
       usd_per_hour / accelerators AS usd
FROM price_history WHERE purchase_option = 'spot' AND accelerators > 0
  AND coalesce(until, since) >= $first AND since <= $last
ORDER BY instance_type, region, since"""
"""Spot prices of an accelerator-hour, where the catalogue knows how many an instance has."""

OFFERED = """
SELECT instance_type, region, count(DISTINCT zone) AS zones, max(observed_on) AS observed_on
FROM offered GROUP BY ALL ORDER BY instance_type, region"""
"""Zones of a region that have an instance type."""


def rates(view: View) -> list[Row]:
    """What the accelerator-hours of each platform cost per period, and what at list prices."""
    return read_rows(RATES, period=view.period, **range_of(view))


def list_price_changes(view: View) -> list[Row]:
    """Changes of on-demand list prices of what the bill has hours of."""
    return read_rows(PRICE_STEPS, **range_of(view))


def coverage(view: View) -> list[Row]:
    """Accelerator-hours of each month by how they were bought, and idle commitment."""
    return read_rows(COVERAGE, **range_of(view))


def spot_prices(view: View) -> list[Row]:
    """Spot prices of an accelerator-hour, from each observation until the next."""
    return read_rows(SPOT, **range_of(view))


def block_offers() -> list[Row]:
    """The Capacity Blocks that EC2 last had for sale, the cheapest hour first."""
    return read_rows("SELECT * FROM capacity_offers ORDER BY usd_per_hour, start, zone")


def offered() -> list[Row]:
    """How many zones of a region have an instance type."""
    return read_rows(OFFERED)

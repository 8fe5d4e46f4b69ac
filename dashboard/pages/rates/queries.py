"""Reads the figures of the Rates page from the published snapshot."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.snapshot.charges import (
    CONFIGURED_COST,
    RUNNING_HOURS,
    WORKED_DAYS,
    hours_sum,
    known_sum,
)
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, range_of, read_rows
from dashboard.snapshot.rows_behind.conditions import of_company

RATES = f"""
WITH used AS (
  SELECT date_trunc($period, date)::DATE AS period_start, platform, hardware, listed, list_cost,
         accelerator_hours AS hours, {CONFIGURED_COST} AS cost,
         ({CONFIGURED_COST}) IS NULL OR unpriced AS unpriced
  FROM accelerator_days WHERE {WORKED_DAYS} AND {RUNNING_HOURS} AND date BETWEEN $first AND $last),
kinds AS (
  SELECT platform, arg_max(hardware, hours) AS hardware
  FROM (SELECT platform, hardware, sum(hours) AS hours FROM used GROUP BY ALL) GROUP BY platform)
SELECT period_start, platform, kinds.hardware,
       sum(hours) FILTER (NOT unpriced) AS hours, sum(cost) FILTER (NOT unpriced) AS cost,
       CASE WHEN bool_and(unpriced OR listed)
            THEN sum(list_cost) FILTER (NOT unpriced) END AS list,
       coalesce(sum(hours) FILTER (unpriced), 0) AS unpriced
FROM used JOIN kinds USING (platform) GROUP BY ALL ORDER BY platform, period_start"""
"""Accelerator-hours that machines ran, with their cost and their cost at list prices.

Hours of unknown cost stand apart, as `unpriced`.
"""

OPTIONS = ("on_demand", "committed", "spot", "capacity_block")
BY_OPTION = ", ".join(
    hours_sum(f"{RUNNING_HOURS} AND purchase_option = '{name}'") + f" AS {name}" for name in OPTIONS
)
COVERAGE = f"""
SELECT strftime(date, '%Y-%m') AS month,
       sum(accelerator_hours) FILTER ({RUNNING_HOURS}) AS hours, {BY_OPTION},
       {of_company(known_sum(CONFIGURED_COST, "attribution = 'idle_commitment'"))} AS idle
FROM accelerator_days
WHERE settled AND date BETWEEN $first AND $last
  AND ((component = 'accelerator' AND platform IS NOT NULL) OR attribution = 'idle_commitment')
GROUP BY month ORDER BY month DESC"""
"""Accelerator-hours of each month by purchase option, and idle commitment.

What nobody used is the company's: unknown to a reader who does not see the `whole`.
"""

PRICE_STEPS = """
SELECT DISTINCT instance_type, platform, hardware, region, since,
       usd_per_hour, previous_usd_per_hour
FROM price_history h
WHERE purchase_option = 'on_demand' AND previous_usd_per_hour <> usd_per_hour
  AND since BETWEEN $first AND $last
  AND EXISTS (SELECT 1 FROM accelerator_days s
              WHERE s.instance_type = h.instance_type AND s.region = h.region)
ORDER BY since, instance_type"""
"""Changes of on-demand prices for types and regions that are on the bill."""

SPOT = """
SELECT instance_type, platform, hardware, region, since, until,
       usd_per_hour / accelerators AS usd
FROM price_history WHERE purchase_option = 'spot' AND accelerators > 0
  AND coalesce(until, since) >= $first AND since <= $last
ORDER BY instance_type, region, since"""
"""Spot prices of an accelerator-hour, for types whose number of accelerators is known."""

OFFERED = """
SELECT instance_type, region, max(zones) AS zones, max(observed_on) AS observed_on
FROM (SELECT instance_type, region, account, count(DISTINCT zone) AS zones,
             max(observed_on) AS observed_on
      FROM offered GROUP BY ALL)
GROUP BY ALL ORDER BY instance_type, region"""
"""Number of zones of a region that offer an instance type, in the account that sees most of them.

Accounts name the same zones differently, so those of several are not counted together.
"""


def rates(view: View) -> list[Row]:
    """Reads hours, paid and list cost of running accelerators per platform and week or month."""
    return read_rows(RATES, period=view.period, **range_of(view))


def list_price_changes(view: View) -> list[Row]:
    """Reads the range's changes of on-demand list prices of types and regions on the bill."""
    return read_rows(PRICE_STEPS, **range_of(view))


def coverage(view: View) -> list[Row]:
    """Reads a row per month: accelerator-hours, also by purchase option; idle commitments' cost."""
    return read_rows(COVERAGE, whole=data_context().scope.everything, **range_of(view))


def spot_prices(view: View) -> list[Row]:
    """Reads Spot prices per accelerator-hour, each with its first day and the day of its end."""
    return read_rows(SPOT, **range_of(view))


def block_offers() -> list[Row]:
    """Reads the Capacity Blocks that EC2 last offered, the cheapest hour first."""
    return read_rows("SELECT * FROM capacity_offers ORDER BY usd_per_hour, start, zone")


def offered() -> list[Row]:
    """Reads how many zones of each region offer each instance type."""
    return read_rows(OFFERED)

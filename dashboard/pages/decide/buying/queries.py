"""Reads prices and use of the machines that a workload trains on, or could train on."""

from __future__ import annotations

from dashboard.pages.decide.buying.machine import MachineFacts, machine_facts
from dashboard.pages.decide.queries import OWN_RECENT, RECENT, THROUGH
from dashboard.snapshot.charges import RUNNING_HOURS, USED_HOURS, known_sum
from dashboard.snapshot.context import data_context
from dashboard.snapshot.published import snapshot
from dashboard.snapshot.rows import Row, read_row, read_rows
from dashboard.snapshot.rows_behind.conditions import of_company
from models.contract.rules.recent_window import DAYS, WEEKS

MACHINES = f"""
WITH {THROUGH},
own AS (
  SELECT instance_type, region, hardware, sum(instance_hours) AS hours,
         coalesce(sum(instance_hours) FILTER (lately), 0) AS recent
  FROM (SELECT *, {OWN_RECENT} AS lately FROM spend_daily)
  WHERE workload = $workload AND {USED_HOURS} AND {RUNNING_HOURS} AND instance_type IS NOT NULL
    AND region IS NOT NULL AND hardware IN ('gpu', 'trainium')
  GROUP BY ALL)
SELECT *, TRUE AS own FROM own
UNION ALL
SELECT DISTINCT instance_type, region, hardware, 0, 0, FALSE
FROM price_history h
WHERE hardware IN ('gpu', 'trainium') AND region IN (SELECT region FROM own)
  AND NOT EXISTS (SELECT 1 FROM own o
                  WHERE o.instance_type = h.instance_type AND o.region = h.region)
ORDER BY own DESC, recent DESC, hours DESC, instance_type, region"""
"""Machines that a workload has trained on, and others with a price in the same regions.

Instance-hours in all, and `recent` ones of the last settled weeks.
"""

MACHINE_PRICES = """
SELECT purchase_option, since, until, usd_per_hour FROM price_history
WHERE instance_type = $instance_type AND region = $region
  AND since <= (SELECT as_of FROM snapshot) ORDER BY since"""
"""Public prices of one machine, until the day of the snapshot."""

MACHINE_RATES = """
SELECT plan, years, usd_per_hour, observed_on FROM committed_rates
WHERE instance_type = $instance_type AND region = $region ORDER BY usd_per_hour, plan"""
"""Dollars per hour of one machine under each savings plan, the cheapest first."""

COMMITTED_USE = f"""
WITH {THROUGH}
SELECT purchase_option,
       {known_sum("effective_cost", f"{RUNNING_HOURS} AND component = 'accelerator'")} AS used,
       {of_company(known_sum("effective_cost", "attribution = 'idle_commitment'"))} AS idle
FROM spend_daily, through
WHERE settled AND {RECENT} AND purchase_option IN ('committed', 'capacity_block')
  AND (platform IS NOT NULL OR (attribution = 'idle_commitment' AND instance_type IS NULL))
GROUP BY purchase_option"""
"""Cost of commitments for accelerators in the last weeks: the used part and the idle part.

A part is null where one of its costs is unknown, and the idle one for a reader who does not see the
`whole` company, whose it is. What names a machine or a family without accelerators, such as a
reservation of a database, is left out; a plan may be for any machine.
"""

MACHINE_USE = f"""
WITH {THROUGH},
days AS (
  SELECT date, sum(instance_hours) AS hours,
         sum(instance_hours) FILTER (purchase_option = 'committed') AS covered,
         {known_sum("effective_cost", "purchase_option = 'committed'")} AS cost
  FROM spend_daily, through
  WHERE {USED_HOURS} AND {RUNNING_HOURS} AND {RECENT}
    AND instance_type = $instance_type AND region = $region
  GROUP BY date)
SELECT CAST(sum(least(hours, 24)) / (24 * {DAYS}) AS DECIMAL(38, 9)) AS at_most,
       CASE WHEN count(*) = count(cost)
            THEN CAST(sum(cost) / nullif(sum(covered), 0) AS DECIMAL(38, 9)) END AS paid
FROM days"""
"""The largest share of one committed instance that would have been used in the last weeks.

It is an upper limit, because hours of a day may overlap. `paid` is the cost of a committed hour;
null where one is unknown.
"""

LOST = """
WITH bought AS (
  SELECT workload, run, sum(accelerator_hours) AS spot_hours
  FROM run_parts WHERE purchase_option = 'spot' GROUP BY ALL)
SELECT workload = $workload AS own, coalesce(2 * spot_hours > accelerator_hours, FALSE) AS spot,
       count(*) AS runs, count(DISTINCT (workload, lineage)) AS lineages,
       sum(idle_cost + coalesce(repeated_cost, 0)) AS lost, sum(cost) AS cost
FROM runs LEFT JOIN bought USING (workload, run)
WHERE hardware = $hardware AND cost IS NOT NULL AND idle_cost IS NOT NULL
  AND accelerator_hours > 0
GROUP BY ALL"""
"""Cost of runs on a hardware, and the part of it that was idle or repeated work."""


def machines(workload: str) -> list[Row]:
    """Lists a workload's machines (type, region), most used first, then others with a price."""
    return read_rows(MACHINES, workload=workload)


def machine(workload: str, of: Row) -> MachineFacts:
    """Reads a machine's prices, use and cost of lost work, to compare the ways to buy its hours.

    Idle commitments are the company's, so unknown to a reader who sees only some workloads.
    """
    named = {"instance_type": of["instance_type"], "region": of["region"]}
    use = read_row(MACHINE_USE, workload=workload, **named) or {}
    whole = data_context().scope.everything
    used = read_rows(COMMITTED_USE, workload=workload, whole=whole)
    return machine_facts(
        read_rows(MACHINE_PRICES, **named),
        read_rows(MACHINE_RATES, **named),
        used,
        use.get("at_most"),
        read_rows(LOST, workload=workload, hardware=of["hardware"]),
        of["recent"] * 52 / (12 * WEEKS) or None,
        (snapshot() or {})["as_of"],
        use.get("paid"),
        held=any(row["purchase_option"] == "committed" for row in used),
        whole=whole,
    )

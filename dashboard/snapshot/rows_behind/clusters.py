"""SQL conditions that pick the rows behind the use of pools, and the waits of jobs."""

from __future__ import annotations

from dashboard.snapshot.charges import hours_sum, known_sum
from dashboard.snapshot.rows_behind.conditions import IN_RANGE, of_company
from dashboard.snapshot.rows_behind.selection import Selection

IDLE = "holding NOT IN ('held', 'unknown')"
MOST_IDLE = f"""FROM pool_use GROUP BY cluster, instance_type
  ORDER BY sum(cost) FILTER (settled AND {IDLE}) DESC NULLS LAST,
    sum(accelerator_hours) DESC, cluster, instance_type LIMIT 1"""
"""The pool that the page shows where the address names none."""
OF_POOL = f"""(cluster, coalesce(instance_type, '')) = CASE WHEN $cluster = ''
  THEN (SELECT (cluster, coalesce(instance_type, '')) {MOST_IDLE})
  ELSE ($cluster, $instance_type) END"""
HELD_IN_RANGE = """CAST(held_from AS DATE) <= $last
  AND CAST(coalesce(held_to, observed_at, held_from) AS DATE) >= $first"""
OF_CLUSTER = f"""cluster = CASE WHEN $cluster = '' THEN (SELECT cluster {MOST_IDLE})
  ELSE $cluster END AND {HELD_IN_RANGE}"""
OF_ALL = f"""SELECT {of_company(hours_sum())} AS "Accelerator-hours on the bill",
          {hours_sum("holding = 'held'")} AS "Held by known workloads, hours",
          {of_company(hours_sum("holding = 'unknown'"))} AS "Held by unknown jobs, hours",
          {of_company(hours_sum(IDLE))} AS "Idle, hours",
          {known_sum("cost")} AS "Σ cost, $",
          {of_company(known_sum("cost", IDLE))} AS "Idle, $"
        FROM pool_use WHERE settled AND {IN_RANGE}"""
ALL_POOLS = Selection(table="allocations", rows=HELD_IN_RANGE, inputs=OF_ALL)
POOL_USE = Selection(table="allocations", rows=OF_CLUSTER, inputs=f"{OF_ALL} AND {OF_POOL}")
WAITS = Selection(
    table="allocations",
    rows=HELD_IN_RANGE,
    inputs="""SELECT count(*) AS "Jobs of known runs", count(wait_hours) AS "Wait known of",
          sum(wait_hours) AS "Σ wait, hours"
        FROM run_jobs WHERE CAST(began AS DATE) BETWEEN $first AND $last""",
)
CLUSTERS = Selection(
    table="allocations",
    inputs="""SELECT sum(accelerator_hours) AS "Accelerator-hours on the bill",
          sum(known_hours) AS "Held by known runs and workloads, hours",
          sum(unknown_hours) AS "Held by unknown jobs, hours", sum(idle_hours) AS "Idle, hours",
          sum(undelivered_hours) AS "Allocations not delivered, hours"
        FROM allocation_coverage""",
)

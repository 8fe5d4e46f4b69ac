"""SQL conditions that pick the rows behind the use of pools, and the waits of jobs."""

from __future__ import annotations

from dashboard.snapshot.charges import hours_sum, known_sum
from dashboard.snapshot.rows_behind.conditions import IN_RANGE
from dashboard.snapshot.rows_behind.selection import Selection

OF_POOL = """($cluster = '' OR (cluster = $cluster
  AND instance_type IS NOT DISTINCT FROM nullif($instance_type, '')))"""
OF_CLUSTER = """($cluster = '' OR cluster = $cluster) AND CAST(held_from AS DATE) <= $last
  AND CAST(coalesce(held_to, observed_at, held_from) AS DATE) >= $first"""
IDLE = "holding NOT IN ('held', 'unknown')"
POOL_USE = Selection(
    table="allocations",
    rows=OF_CLUSTER,
    inputs=f"""SELECT {hours_sum()} AS "Accelerator-hours on the bill",
          {hours_sum("holding = 'held'")}
            AS "Held by known workloads, hours",
          {hours_sum("holding = 'unknown'")}
            AS "Held by nobody known, hours",
          {hours_sum(IDLE)} AS "Idle, hours",
          {known_sum("cost")} AS "Σ cost, $",
          {known_sum("cost", IDLE)} AS "Idle, $"
        FROM pool_use WHERE settled AND {IN_RANGE} AND {OF_POOL}""",
)
WAITS = Selection(
    table="allocations",
    rows=OF_CLUSTER,
    inputs="""SELECT count(*) AS "Jobs of known runs", count(wait_hours) AS "Wait known of",
          sum(wait_hours) AS "Σ wait, hours"
        FROM run_jobs WHERE CAST(began AS DATE) BETWEEN $first AND $last""",
)
CLUSTERS = Selection(
    table="allocations",
    inputs="""SELECT sum(accelerator_hours) AS "Accelerator-hours on the bill",
          sum(known_hours) AS "Held by known runs and workloads, hours",
          sum(unknown_hours) AS "Held by nobody known, hours", sum(idle_hours) AS "Idle, hours",
          sum(undelivered_hours) AS "Allocations not delivered, hours"
        FROM allocation_coverage""",
)

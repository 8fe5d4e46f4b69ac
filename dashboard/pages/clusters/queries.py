"""Reads who occupied shared machines, and how long jobs waited, from the published snapshot."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.snapshot.charges import hours_sum, known_sum
from dashboard.snapshot.rows import Row, range_of, read_rows

SHOWN_RUNS = 25
"""Most runs of a pool that are listed, the costliest."""
DAILY_SPAN = 190
"""Up to so many days a pool is drawn by day, above by week."""
HELD = "holding IN ('held', 'unknown')"
OF_POOL = "cluster = $cluster AND instance_type IS NOT DISTINCT FROM $instance_type"
IN_RANGE = "date BETWEEN $first AND $last"
KINDS = {"held": "holding = 'held'", "unknown": "holding = 'unknown'", "idle": f"NOT ({HELD})"}


SUMS = ", ".join(
    (
        f"{hours_sum('settled')} AS hours",
        *(f"{hours_sum(f'settled AND {of}')} AS {name}_hours" for name, of in KINDS.items()),
        f"{known_sum('cost', 'settled')} AS cost",
        *(f"{known_sum('cost', f'settled AND {of}')} AS {name}_cost" for name, of in KINDS.items()),
        f"{hours_sum('settled AND over_allocated')} AS over_allocated_hours",
        f"{hours_sum('settled AND by_day')} AS daily_hours",
        f"{hours_sum('NOT settled')} AS unsettled_hours",
        f"{known_sum('cost', 'NOT settled')} AS unsettled_cost",
        "min(date) FILTER (settled) AS first_day, max(date) FILTER (settled) AS last_day",
    )
)
"""What each pool had and who held it on settled days; what is not settled stands beside it."""
POOL = "cluster, instance_type"
POOLS = f"""
SELECT {POOL}, max(hardware) AS hardware, max(platform) AS platform, {SUMS}
FROM pool_use WHERE {IN_RANGE} GROUP BY {POOL}
ORDER BY idle_cost DESC NULLS LAST, hours DESC, cluster, instance_type"""
MISSING_ALLOCATIONS = f"""
SELECT {known_sum("cost", "awaited")} AS cost, count(DISTINCT date) FILTER (awaited) AS days,
  count(DISTINCT date) FILTER (early) AS early_days
FROM (
  SELECT *, NOT delivered AND NOT awaited AND date < first_day AS early
  FROM pool_use LEFT JOIN (
    SELECT cluster, min(date) AS first_day FROM pool_use WHERE delivered GROUP BY cluster
  ) USING (cluster) WHERE {IN_RANGE})"""
"""Days and cost that wait for allocations; `early_days` are those before the first delivery, of
which tags tell enough for every other page."""
NAMES = f"""
SELECT {POOL} FROM pool_use GROUP BY {POOL}
ORDER BY sum(cost) FILTER (settled AND NOT ({HELD})) DESC NULLS LAST,
  sum(accelerator_hours) DESC, cluster, instance_type"""
REASONS = f"""
SELECT {POOL}, holding, {known_sum("cost", "settled")} AS cost, {hours_sum("settled")} AS hours
FROM pool_use WHERE {IN_RANGE} AND NOT ({HELD}) GROUP BY {POOL}, holding HAVING hours <> 0
ORDER BY hours DESC, holding"""
MONTHS = f"""
SELECT strftime(date, '%Y-%m') AS month, {POOL}, max(hardware) AS hardware,
  max(platform) AS platform, {SUMS}
FROM pool_use WHERE {IN_RANGE} GROUP BY month, {POOL}
ORDER BY month DESC, idle_cost DESC NULLS LAST, cluster, instance_type"""
USE = f"""
SELECT date_trunc($step, date)::DATE AS begins,
  CASE WHEN {HELD} OR delivered THEN holding ELSE 'undelivered' END AS holding, workload,
  sum(accelerator_hours) AS hours
FROM pool_use WHERE {IN_RANGE} AND {OF_POOL} GROUP BY ALL ORDER BY ALL"""
SPAN = f"""
SELECT date_diff('day', min(date), max(date)) AS days
FROM pool_use WHERE {IN_RANGE} AND {OF_POOL}"""
HOLDERS = f"""
SELECT holding, workload, {hours_sum("settled")} AS hours, {known_sum("cost", "settled")} AS cost,
  count(DISTINCT run) FILTER (settled) AS runs,
  {hours_sum("NOT settled AND delivered")} AS open_hours,
  {known_sum("cost", "NOT settled AND delivered")} AS open_cost
FROM pool_use WHERE {IN_RANGE} AND {OF_POOL} GROUP BY holding, workload
HAVING hours <> 0 OR open_hours <> 0
ORDER BY holding = 'held' DESC, holding = 'unknown' DESC, hours DESC, holding, workload"""
BEGAN_IN_RANGE = "CAST(began AS DATE) BETWEEN $first AND $last"
WAITS = f"""
SELECT hardware, platform, count(*) AS jobs, count(wait_hours) AS timed,
  quantile_cont(CAST(wait_hours AS DOUBLE), [0.5, 0.9]) AS waited, max(wait_hours) AS longest
FROM run_jobs WHERE {BEGAN_IN_RANGE}
GROUP BY hardware, platform ORDER BY hardware DESC NULLS LAST, jobs DESC, platform"""
MONTHLY_WAITS = f"""
SELECT strftime(date_trunc('month', began), '%Y-%m') AS month, cluster, platform,
  median(CAST(wait_hours AS DOUBLE)) AS median
FROM run_jobs WHERE {BEGAN_IN_RANGE} GROUP BY date_trunc('month', began), cluster, platform"""
RUNS = f"""
WITH held AS (
  SELECT workload, run, {hours_sum("settled")} AS hours, {known_sum("cost", "settled")} AS cost,
    min(date) AS first_day, max(date) AS last_day, count(*) OVER () AS found
  FROM pool_use
  WHERE {IN_RANGE} AND {OF_POOL} AND workload IS NOT NULL
    AND ($workload = '' OR workload = $workload)
  GROUP BY workload, run HAVING hours <> 0
  ORDER BY cost DESC NULLS FIRST, hours DESC, workload, run LIMIT {SHOWN_RUNS}),
jobs AS (
  SELECT workload, run, count(*) AS jobs, sum(wait_hours) AS waited,
    list_slice(list(job ORDER BY began, job), 1, 3) AS names
  FROM run_jobs WHERE cluster = $cluster
    AND (instance_type IS NULL OR $instance_type IN (instance_type, 'ml.' || instance_type))
    AND (workload, run) IN (SELECT (workload, run) FROM held) GROUP BY workload, run)
SELECT held.*, jobs.jobs, jobs.waited, jobs.names FROM held LEFT JOIN jobs USING (workload, run)
ORDER BY cost DESC NULLS FIRST, hours DESC, workload, run"""


def pools(view: View) -> list[Row]:
    """Reads a row per pool: hours and cost on settled days of the range, most idle cost first."""
    return read_rows(POOLS, **range_of(view))


def missing_allocations(view: View) -> Row:
    """Reads one row: cost and number of days that await job allocations, and of days before any."""
    return read_rows(MISSING_ALLOCATIONS, **range_of(view))[0]


def names() -> list[Row]:
    """Reads cluster and instance type of each pool, over all days, most idle dollars first."""
    return read_rows(NAMES)


def idle_reasons(view: View) -> list[Row]:
    """Reads each pool's idle hours and cost on settled days by reason, most hours first."""
    return read_rows(REASONS, **range_of(view))


def months(view: View) -> list[Row]:
    """Reads a row per pool and month: hours and cost on settled days, the newest month first."""
    return read_rows(MONTHS, **range_of(view))


def waits_by_month(view: View) -> dict[tuple[str, str, str | None], Row]:
    """Maps (month, cluster, platform) to a row with the median wait of jobs begun that month."""
    rows = read_rows(MONTHLY_WAITS, **range_of(view))
    return {(row["month"], row["cluster"], row["platform"]): row for row in rows}


def step(view: View, pool: str) -> str:
    """Returns `day` if a pool's days in the range span at most 190 days, else `week`."""
    (span,) = read_rows(SPAN, **_of(pool), **range_of(view))
    return "day" if (span["days"] or 0) <= DAILY_SPAN else "week"


def use(view: View, pool: str, step: str) -> list[Row]:
    """Reads a pool's accelerator-hours per day or week and per holder or reason to be idle."""
    return read_rows(USE, step=step, **_of(pool), **range_of(view))


def holders(view: View, pool: str) -> list[Row]:
    """Reads a pool's hours and cost per holder (workload, unknown jobs) or reason to be idle."""
    return read_rows(HOLDERS, **_of(pool), **range_of(view))


def waits(view: View) -> list[Row]:
    """Reads per chip how many jobs began in the range, and their median, 90 % and longest wait."""
    return read_rows(WAITS, **range_of(view))


def runs(view: View, pool: str) -> list[Row]:
    """Reads the 25 costliest runs that occupied a pool on settled days, with jobs and waits.

    Runs of unknown cost come before them; hours that name no run are one row of their workload.
    """
    return read_rows(RUNS, workload=view.workload, **_of(pool), **range_of(view))


def has_held(workload: str) -> bool:
    """Returns whether a workload ever occupied a machine that jobs share."""
    sql = "SELECT 1 FROM pool_use WHERE workload = $workload LIMIT 1"
    return bool(read_rows(sql, workload=workload))


def name_of(row: Row) -> str:
    """Returns the name of a pool as the URL has it: `cluster/instance type`."""
    return f"{row['cluster']}/{row['instance_type'] or ''}"


def _of(pool: str) -> Row:
    cluster, instance_type = View(pool=pool).pool_parts
    return {"cluster": cluster, "instance_type": instance_type or None}

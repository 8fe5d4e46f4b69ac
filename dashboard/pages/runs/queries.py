"""Reads runs, their groups, and one run's days and charges from the published snapshot."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.runs import runs_sql
from dashboard.snapshot.charges import CONFIGURED_COST, known_sum
from dashboard.snapshot.rows import Row, read_row, read_rows
from dashboard.snapshot.runs.run_dimensions import known_dimensions
from models.contract.rules.work.units_of_work import MEASURES, SIZE

CHARGES = """
SELECT s.* EXCLUDE (settled), coalesce(of_workload.settled, s.settled) AS settled
FROM spend_daily AS s LEFT JOIN (
  SELECT date, settled FROM savings_daily WHERE workload = $workload) AS of_workload USING (date)
WHERE workload = $workload AND run = $run"""
"""A run's charges. A day whose allocations are not delivered is not settled for the workload."""

RUN_DAYS = f"""
WITH spent AS (
  SELECT date, {known_sum(CONFIGURED_COST)} AS cost, sum(accelerator_hours) AS hours,
         bool_and(settled) AS settled
  FROM ({CHARGES}) GROUP BY date),
done AS (
  SELECT date, {{measure}} * {{size}} AS epochs,
         repeated_{{measure}} * {{size}} AS repeated_epochs, loss
  FROM progress_daily WHERE workload = $workload AND run = $run)
SELECT date, cost, hours, settled, epochs, repeated_epochs, loss
FROM spent FULL JOIN done USING (date) ORDER BY date"""
"""Cost and progress, in the run's unit, of every day of a run, settled or not."""

RUN_CHARGES = f"""
SELECT component, purchase_option, instance_type, region, attribution,
       sum(accelerator_hours) AS hours, {known_sum("list_cost")} AS list,
       {known_sum("effective_cost")} AS effective, {known_sum("billed_cost")} AS billed
FROM ({CHARGES}) WHERE settled
GROUP BY ALL ORDER BY effective DESC, component, purchase_option, instance_type, region"""
"""Charges of a run on settled days."""

RUN_JOBS = """
WITH held AS (
  SELECT cluster, cluster || '/' || coalesce(instance_type, '') AS pool,
         sum(accelerator_hours) AS hours
  FROM pool_use WHERE workload = $workload AND run = $run GROUP BY ALL),
most AS (SELECT cluster, arg_max(pool, hours ORDER BY pool) AS pool FROM held GROUP BY cluster),
own AS (
  SELECT replace(pool, '/ml.', '/') AS plain, arg_max(pool, hours ORDER BY pool) AS pool
  FROM held GROUP BY plain)
SELECT j.*, coalesce(own.pool, most.pool) AS pool
FROM run_jobs AS j LEFT JOIN most USING (cluster)
LEFT JOIN own ON own.plain = j.cluster || '/' || j.instance_type
WHERE workload = $workload AND run = $run ORDER BY began DESC, job"""
"""Jobs of a run with their pools: each its own, or else the one that the run held most of."""


def chosen_runs(view: View, offset: int = 0, limit: int | None = None) -> list[Row]:
    """Reads a block of the filtered runs in order, each with the number of all as `found`."""
    sql, parameters = runs_sql.page(view, known_dimensions(), offset, limit)
    return read_rows(sql, **parameters)


def run_groups(view: View) -> list[Row]:
    """Reads filtered runs summed by the chosen dimension, costliest first; empty without one."""
    asked = run_groups_sql(view)
    return read_rows(asked[0], **asked[1]) if asked else []


def run_groups_sql(view: View) -> tuple[str, Row] | None:
    """Returns SQL and parameters that sum the filtered runs by group; None if none is chosen."""
    dims = known_dimensions()
    by = runs_sql.grouping(view, dims)
    return runs_sql.groups(view, dims, by) if by else None


def chosen_totals(view: View) -> Row:
    """Reads one row: count, cost and epochs of filtered runs; idle, repeated and unsettled cost."""
    sql, parameters = runs_sql.totals(view, known_dimensions())
    return read_row(sql, **parameters) or {}


def run(workload: str, run: str) -> Row | None:
    """Reads one run from the snapshot; None if there is none of this name."""
    return read_row(
        "SELECT * FROM runs WHERE workload = $workload AND run = $run", workload=workload, run=run
    )


def run_days(workload: str, run: str, unit: str) -> list[Row]:
    """Reads a run's cost, accelerator-hours and progress (in the given unit of work) by day."""
    sql = RUN_DAYS.format(measure=MEASURES[unit], size=SIZE[unit])
    return read_rows(sql, workload=workload, run=run)


def run_charges(workload: str, run: str) -> list[Row]:
    """Sums a run's settled charges by component, purchase option, type, region and attribution."""
    return read_rows(RUN_CHARGES, workload=workload, run=run)


def run_jobs(workload: str, run: str) -> list[Row]:
    """Reads a run's scheduler jobs, newest first, each with its pool."""
    return read_rows(RUN_JOBS, workload=workload, run=run)

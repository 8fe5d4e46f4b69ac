"""Finds the runs of jobs without a run label, by job id and by which runs report progress.

A job id is a run where its workload is known, or where progress is reported under it. Schedulers
number jobs from one, so two clusters may have the same number. Then it names the run of that
cluster alone whose job ran when progress was reported (METHOD §2.9).
"""

from __future__ import annotations

from models.engine.context import BuildContext

HELD, SHARED_NUMBERS = "held_intervals", "alike_job_numbers"
"""Tables: intervals that jobs held, and the names of jobs whose number several clusters have."""


def name_runs(context: BuildContext) -> None:
    """Sets workload and run of all stored intervals; stores job numbers that clusters share."""
    con = context.backend.con
    con.execute(_BY_JOB)
    con.execute(f"CREATE OR REPLACE TABLE {SHARED_NUMBERS} AS {_SHARED_NUMBERS}")
    con.execute(_RUNS_OF_NUMBERS)


def name_runs_of_some_days(context: BuildContext) -> None:
    """Sets workload and run of some days' job intervals; reads numbers that clusters share."""
    con = context.backend.con
    con.execute(_BY_JOB)
    if con.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [SHARED_NUMBERS]
    ).fetchall():
        con.execute(_RUNS_OF_NUMBERS)


_BY_JOB = f"""
UPDATE {HELD} SET workload = named.workload, run = named.run
FROM (
  SELECT i.rowid AS place, coalesce(given_workload, p.workload) AS workload,
    coalesce(given_run,
      CASE WHEN given_workload IS NOT NULL OR p.run IS NOT NULL THEN job END) AS run
  FROM {HELD} AS i LEFT JOIN (
    SELECT run, min(workload) AS workload FROM progress
    GROUP BY run HAVING min(workload) = max(workload)
  ) AS p ON p.run = coalesce(i.given_run, i.job)
  WHERE reason = 'run') AS named
WHERE {HELD}.rowid = place
  AND ({HELD}.workload, {HELD}.run) IS DISTINCT FROM (named.workload, named.run)"""
"""A run that no label names is the job, where its workload is known or progress tells of it."""
_BY_NUMBER = "reason = 'run' AND given_run IS NULL AND job IS NOT NULL"
_SHARED_NUMBERS = f"""
WITH numbers AS (
  SELECT job FROM {HELD} WHERE {_BY_NUMBER} GROUP BY job
  HAVING min(cluster) < max(cluster) OR min(account) < max(account)),
jobs AS (
  SELECT job, cluster, account, given_workload, min(began) - INTERVAL 1 HOUR AS since,
    max(ended) + INTERVAL 1 HOUR AS until
  FROM (SELECT * REPLACE (CASE WHEN several THEN coalesce(account, '') END AS account)
    FROM (SELECT *, min(account) OVER of_job < max(account) OVER of_job AS several
      FROM {HELD} JOIN numbers USING (job) WHERE {_BY_NUMBER}
      WINDOW of_job AS (PARTITION BY job, cluster)))
  GROUP BY job, cluster, account, given_workload),
reported AS (
  SELECT DISTINCT job, cluster, account, given_workload, p.workload
  FROM jobs JOIN progress AS p ON p.run = job AND p.observed_at BETWEEN since AND until
    AND p.workload = coalesce(given_workload, p.workload)),
told AS (
  FROM reported QUALIFY count(*) OVER (PARTITION BY job, workload) = 1
    AND count(*) OVER (PARTITION BY job, cluster, account, given_workload) = 1)
SELECT jobs.* EXCLUDE (since, until),
  coalesce(jobs.given_workload, told.workload) AS workload,
  CASE WHEN told.workload IS NOT NULL THEN jobs.job
    WHEN jobs.given_workload IS NOT NULL
    THEN concat_ws('/', nullif(jobs.account, ''), jobs.cluster, jobs.job) END AS run
FROM jobs LEFT JOIN told
  ON (told.job, told.cluster, told.account, told.given_workload)
    IS NOT DISTINCT FROM (jobs.job, jobs.cluster, jobs.account, jobs.given_workload)
WHERE EXISTS (
  FROM jobs AS other
  WHERE other.job = jobs.job
    AND (other.cluster, other.account) IS DISTINCT FROM (jobs.cluster, jobs.account)
    AND coalesce(other.given_workload = jobs.given_workload, true))"""
"""Jobs of one number in several clusters that may be of one workload. Where progress was reported
during that of one cluster alone (an hour about it), the number is its run; the run of another is
`CLUSTER/NUMBER` where its workload is known, else unknown. `account` is null where the number has
one in the cluster."""
_RUNS_OF_NUMBERS = f"""
UPDATE {HELD} SET workload = alike.workload, run = alike.run
FROM {SHARED_NUMBERS} AS alike
WHERE reason = 'run' AND given_run IS NULL
  AND alike.job = {HELD}.job AND alike.cluster = {HELD}.cluster
  AND alike.given_workload IS NOT DISTINCT FROM {HELD}.given_workload
  AND (alike.account IS NULL OR alike.account = coalesce({HELD}.account, ''))"""

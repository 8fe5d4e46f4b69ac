"""Stores the jobs of known runs, from submission to end, and when these runs held machines."""

from __future__ import annotations

from models.engine.allocations.held_intervals import BILLED_TYPE, PLAIN, STORE
from models.engine.context import BuildContext
from models.engine.reduction.machine_lines import STORE as LINES


def update(context: BuildContext) -> None:
    """Writes `held_jobs`, a row per job of a known run; `held_times`, when runs had machines."""
    context.backend.con.execute(_JOBS)
    context.backend.con.execute(_TIMES)


_JOBS = f"""
CREATE OR REPLACE TABLE held_jobs AS
WITH billed AS (
  SELECT machine AS resource, min(billed_type) AS billed_type
  FROM (SELECT machine, {BILLED_TYPE} AS billed_type FROM {LINES}
    WHERE machine IN (SELECT resource FROM {STORE} WHERE instance_type IS NULL))
  GROUP BY machine)
SELECT workload, run, cluster, job, max(longest).type_ AS instance_type,
  min(queued_at) AS queued_at, min(began) AS began, max(ended) AS ended,
  NOT max({{'ended': ended, 'ends': ends OR ended < last}}).ends AS still_held,
  sum(CASE WHEN queued_at IS NULL THEN NULL
    WHEN began > first THEN 0
    ELSE greatest(date_diff('second', queued_at, began), 0) END)::BIGINT AS waited
FROM (
  SELECT *, min(began) OVER of_job AS first, max(ended) OVER of_job AS last
  FROM (
    SELECT workload, run, cluster, job, queued_at, min(began) AS began, max(ended) AS ended,
      max({{'ended': ended, 'ends': ends}}).ends AS ends,
      max({{
        'accelerated': accelerators IS DISTINCT FROM 0,
        'held': ended - began,
        'type_': {PLAIN}
      }}) AS longest
    FROM (SELECT * REPLACE (coalesce(instance_type, billed_type) AS instance_type)
      FROM {STORE} LEFT JOIN billed USING (resource))
    WHERE reason = 'run' GROUP BY ALL)
  WINDOW of_job AS (
    PARTITION BY cluster, job, CASE WHEN job IS NULL THEN (workload, run) END, queued_at))
WHERE run IS NOT NULL
GROUP BY workload, run, cluster, job"""
"""A job that is requeued is submitted anew, and waits again. Its type, without `ml.`, is that of
the machine that it held longest: as told, or else the bill's. Where a rule gives days of a job to
several runs, the first of them waited, and all but the last have ended."""


_TIMES = f"""
CREATE OR REPLACE TABLE held_times AS
SELECT DISTINCT workload, run, began, ended FROM {STORE} WHERE reason = 'run' AND run IS NOT NULL"""
"""A job that is requeued holds nothing until it starts again, though `held_jobs` has it as one."""

"""Stores the jobs of known runs, from submission to end, by the intervals that they held."""

from __future__ import annotations

from models.engine.allocations.held_intervals import BILLED_TYPE, PLAIN, STORE
from models.engine.context import BuildContext
from models.engine.reduction.machine_lines import STORE as LINES


def update(context: BuildContext) -> None:
    """Writes `held_jobs`: each job of a known run, with its waits and its type of machine."""
    context.backend.con.execute(_JOBS)


_JOBS = f"""
CREATE OR REPLACE TABLE held_jobs AS
WITH billed AS (
  SELECT machine AS resource, min(billed_type) AS billed_type
  FROM (SELECT machine, {BILLED_TYPE} AS billed_type FROM {LINES}
    WHERE machine IN (SELECT resource FROM {STORE} WHERE instance_type IS NULL))
  GROUP BY machine)
SELECT workload, run, cluster, job, max(longest).type_ AS instance_type,
  min(queued_at) AS queued_at, min(began) AS began, max(ended) AS ended,
  NOT max({{'ended': ended, 'ends': ends}}).ends AS still_held,
  sum(CASE WHEN queued_at IS NOT NULL THEN
    greatest(date_diff('second', queued_at, began), 0) END)::BIGINT AS waited
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
  WHERE run IS NOT NULL AND reason = 'run' GROUP BY ALL)
GROUP BY workload, run, cluster, job"""
"""A job that is requeued is submitted anew, and waits again. Its type, without `ml.`, is that of
the machine that it held longest: as told, or else the bill's."""

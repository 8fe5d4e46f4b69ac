"""SQL that reads a bill's container pods as intervals in which they held a machine (METHOD §2.9).

A pod's row is an interval of its period. Its weight is the accelerators that it held; where its
cluster has no rows of accelerators in the month, what AWS split to it, used and unused. Clusters of
one name in two accounts are two.
"""

from __future__ import annotations

from models.engine.allocations.days_to_divide import DAYS
from models.engine.reduction.machine_lines import PODS

PODS_HELD = f"""
counted AS (
  SELECT delivery, account, machine_cluster, date_trunc('month', date) AS month,
    bool_or(pod_accelerators IS NOT NULL OR pod_share IS NOT NULL) AS chips
  FROM {PODS} WHERE delivery IN (SELECT delivery FROM {DAYS}) GROUP BY ALL),
pods AS (
  SELECT p.date, p.machine_cluster AS cluster, p.machine AS resource, t.instance_type, workload,
    run, period_from AS began, period_to AS ended{{tags}},
    CASE WHEN bool_or(chips) AND sum(pod_share) IS NULL THEN coalesce(sum(pod_accelerators)
      / greatest(max(date_diff('second', period_from, period_to)) / 3600, 1), 0) END
      AS accelerators,
    CASE WHEN bool_or(chips) THEN sum(pod_share) END AS share,
    CASE WHEN NOT bool_or(chips) THEN sum(pod_cost) END AS dollars
  FROM ({PODS} SEMI JOIN {DAYS} USING (delivery, date)) AS p
  JOIN counted AS c ON c.delivery = p.delivery AND c.machine_cluster = p.machine_cluster
    AND c.account IS NOT DISTINCT FROM p.account AND c.month = date_trunc('month', p.date)
  JOIN types AS t ON t.machine = p.machine AND t.date = p.date
  GROUP BY ALL)"""
"""SQL: the common tables `counted` and `pods`; `types` names the instance type of each machine."""

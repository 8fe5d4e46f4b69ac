"""SQL of what held machines on the days to divide: jobs by their intervals, and the bill's pods.

A pod's row (`pods_held`) has no start or end of its own, so it has no gaps. A machine of which a
scheduler tells needs no pods (METHOD §2.9).

`pool_account` and `pool_region` say whose pool an interval without a machine is about, where all
such intervals of the cluster, type and day name one; else null: the pool goes by name alone.

A machine whose type the scheduler does not know has that of the bill.

Where the bill names no machine, an interval on one is of the pool as well: of machine-hours of its
cluster and type without a resource.
"""

from __future__ import annotations

from models.engine.allocations.days_to_divide import DAYS
from models.engine.allocations.held_intervals import BILLED_TYPE, PLAIN, STORE
from models.engine.allocations.pods_held import PODS_HELD
from models.engine.context import BuildContext
from models.formats.bill.shared_machine_lines import UNNAMED


def held_near(context: BuildContext) -> str:
    """Returns the SQL that creates `held_near`: what held machines on given days, and a day around.

    The table is `held_near`; the days are the rows of `DAYS`.
    """
    tags = [f'"tag_{key}"' for key in context.settings.tags.extra]
    return _HELD.format(tags="".join(f", {tag}" for tag in tags))


_PLAIN_TYPE = PLAIN.replace("instance_type", "i.instance_type")
_HELD = f"""
CREATE OR REPLACE TEMP TABLE held_near AS
WITH days AS (SELECT DISTINCT unnest([date - 1, date, date + 1]) AS day FROM {DAYS}),
lines AS (
  SELECT machine, machine_cluster, date, {BILLED_TYPE} AS instance_type
  FROM due_lines JOIN due_kinds USING (kind)),
unnamed AS (
  SELECT DISTINCT machine_cluster AS cluster, date, {PLAIN} AS plain
  FROM lines WHERE machine = '{UNNAMED}'),
near AS (
  SELECT * EXCLUDE (mark, observed, queued_at) FROM {STORE} WHERE date IN (FROM days)
  UNION ALL BY NAME
  SELECT * EXCLUDE (mark, observed, queued_at)
    REPLACE (NULL AS resource, coalesce(node, resource) AS node)
  FROM {STORE} WHERE resource IS NOT NULL AND (cluster, date, {PLAIN}) IN (FROM unnamed)
    AND (resource, date) NOT IN (SELECT machine, date FROM lines)),
loose AS (
  SELECT cluster, {PLAIN} AS plain, date,
    bool_and(account IS NOT NULL) AS in_accounts, bool_and(region IS NOT NULL) AS in_regions
  FROM near WHERE resource IS NULL GROUP BY ALL),
types AS (
  SELECT machine, date, any_value(instance_type) AS instance_type FROM lines GROUP BY ALL),
told AS (
  SELECT i.* REPLACE (coalesce(i.instance_type, t.instance_type) AS instance_type),
    NULL::DECIMAL(38, 9) AS dollars,
    false AS of_bill, CASE WHEN in_accounts THEN account END AS pool_account,
    CASE WHEN in_regions THEN region END AS pool_region
  FROM near AS i LEFT JOIN loose AS l
    ON i.resource IS NULL AND l.cluster = i.cluster AND l.date = i.date AND l.plain = {_PLAIN_TYPE}
  LEFT JOIN types AS t ON t.machine = i.resource AND t.date = i.date),
{PODS_HELD}
SELECT * FROM told
UNION ALL BY NAME
SELECT *, 'run' AS reason, false AS starts, false AS ends, true AS of_bill FROM pods
ANTI JOIN (SELECT DISTINCT resource, date FROM told WHERE resource IS NOT NULL) AS known
  USING (resource, date)"""

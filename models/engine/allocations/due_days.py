"""Hashes the inputs by which each bill day's machines are divided, to find days that changed.

The hash of a day, its mark, covers the intervals of the day (and of the further days of a
correction), those of the day before that end within a gap of its midnight, first jobs of machines
within a gap after it, what is known of the day's machines (of those that no job of the day names,
whose they were on the days beside), whose allocations of it are delivered,
the clusters that have allocations, by account, the bills that lend hours of the day to a
correction, and its hours with a run's tag. Content counts, not deliveries: the same rows delivered
again divide nothing anew.
"""

from __future__ import annotations

from hashlib import sha256

from models.engine.allocations import tagged_lines
from models.engine.allocations.days_to_divide import LENDING, LONG
from models.engine.allocations.held_intervals import MEMBERS, STORE
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines
from models.engine.sql.sql_cache import code

DUE = "due_days"
PREFIX = "divided:"


def mark_days(context: BuildContext) -> None:
    """Writes the table `due_days`: each bill's days with machines, and a hash of their inputs."""
    gap = context.settings.clusters.gap_minutes
    version = sha256(f"{code()} {gap}".encode()).hexdigest()[:16]
    text = _DAYS.format(version=version, gap=f"INTERVAL {gap} MINUTE")
    context.backend.con.execute(text)


_DAYS = f"""
CREATE OR REPLACE TEMP TABLE {DUE} AS
WITH held AS (
  SELECT i.date, i.began, i.ended, i.starts, i.began = m.first_from AS first,
    hash(i)::HUGEINT AS content
  FROM (SELECT * EXCLUDE (mark, observed, queued_at) FROM {STORE}) AS i
  LEFT JOIN {MEMBERS} AS m USING (resource)),
near AS (
  SELECT date AS day, content FROM held
  UNION ALL SELECT date + 1, content FROM held WHERE ended >= date + INTERVAL 1 DAY - {{gap}}
  UNION ALL SELECT date - 1, content FROM held
    WHERE starts AND first AND began < date + {{gap}}
  UNION ALL SELECT date, hash(t)::HUGEINT
    FROM (SELECT * EXCLUDE (mark) FROM {tagged_lines.STORE}) AS t),
intervals AS (
  SELECT day, sum(content)::VARCHAR || ' ' || count(*) AS told FROM near GROUP BY day),
beside AS (
  SELECT resource, date + shift AS date, cluster, shift
  FROM (SELECT DISTINCT resource, date, cluster FROM {STORE} WHERE resource IS NOT NULL)
  CROSS JOIN (SELECT unnest([-1, 0, 1]) AS shift)),
beside_alone AS (
  SELECT resource, date, string_agg(cluster || shift, ' ' ORDER BY shift, cluster) AS of_others
  FROM beside GROUP BY ALL HAVING NOT bool_or(shift = 0)),
machines AS (
  SELECT delivery, any_value(source) AS source, date, machine,
    sum(coalesce(len(periods), 1)) AS lines
  FROM {machine_lines.STORE} GROUP BY delivery, date, machine),
bills AS (
  SELECT l.delivery, any_value(l.source) AS source, l.date, sum(l.lines)::BIGINT AS lines,
    count(m.resource) || ' ' || coalesce(sum(hash(m.resource, m.cluster, n.of_others,
      CASE WHEN m.first_from < l.date + INTERVAL 1 DAY + {{gap}} AND m.first_from >= l.date
        THEN m.first_from END,
      CASE WHEN m.resource LIKE 'arn:%' THEN m END)::HUGEINT), 0) AS known
  FROM machines AS l LEFT JOIN {MEMBERS} AS m ON m.resource = l.machine
    LEFT JOIN beside_alone AS n ON n.resource = l.machine AND n.date = l.date
  GROUP BY l.delivery, l.date),
lending AS (
  SELECT late AS delivery, date, string_agg(DISTINCT delivery, ' ' ORDER BY delivery) AS lent
  FROM ({LENDING}) GROUP BY ALL),
told AS (
  SELECT day, string_agg(DISTINCT concat_ws(' ', cluster, account, region, complete), ' '
    ORDER BY concat_ws(' ', cluster, account, region, complete)) AS of_day
  FROM allocation_days GROUP BY day),
firsts AS (
  SELECT CAST(first_from AS DATE) AS day, sum(hash(resource, first_from))::VARCHAR AS begun
  FROM {MEMBERS} GROUP BY ALL),
long AS (
  SELECT delivery, date,
    string_agg(concat_ws(' ', day, told, of_day, begun), ' ' ORDER BY day) AS told
  FROM ({LONG}) AS c LEFT JOIN (intervals FULL JOIN told USING (day) LEFT JOIN firsts USING (day))
    ON day > date AND day <= last
  GROUP BY ALL),
clusters AS (
  SELECT string_agg(told, ' ' ORDER BY told) AS named FROM (
    SELECT concat_ws(' ', cluster, account) AS told FROM held_clusters
    UNION SELECT concat_ws(' ', 'told', cluster, account, region) FROM allocation_days))
SELECT b.delivery, b.source, b.date, b.lines, f.date IS NOT NULL AS long,
  '{PREFIX}' || sha256(concat_ws('|', b.delivery, b.date, i.told, b.known, c.named,
    coalesce(l.lent, ''), coalesce(f.told, ''), coalesce(t.of_day, ''), '{{version}}')) AS mark
FROM bills AS b LEFT JOIN intervals AS i ON i.day = b.date LEFT JOIN lending AS l
  USING (delivery, date) LEFT JOIN long AS f USING (delivery, date)
  LEFT JOIN told AS t ON t.day = b.date CROSS JOIN clusters AS c"""

"""Stores which job held which machine when, by UTC day, and each machine's latest owner.

Of an interval only the part inside the day of its delivery counts, so each day is told by its own
delivery alone. The rows of a day are kept under the bytes of its deliveries and the SQL that read
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from hashlib import sha256

from models.config.metrics.line_meaning import line_meaning
from models.engine.allocations import runs_of_jobs
from models.engine.allocations.counted_deliveries import (
    VIEW,
    account_of,
    counted_deliveries,
    end_of_day,
)
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.reduction.delivered_files import quoted
from models.engine.reduction.machine_lines import PODS
from models.engine.reduction.machine_lines import STORE as LINES
from models.engine.sql.sql_cache import code
from models.engine.warehouse.connection import parsed
from models.engine.warehouse.table_columns import columns_of
from models.formats.allocations.intervals import FILE
from models.formats.tag_keys import without_prefix
from models.marts.cost.charges.usage_types import INSTANCE
from models.raw.delivery import Delivery

STORE, MEMBERS = runs_of_jobs.HELD, "machine_members"
DAYS = ("files", "marks", "days", "pulled", "accounts")
"""Parameters of the query that reads intervals: each file, its day's mark, day, when its delivery
was pulled, and the account that its key names."""


def update(context: BuildContext) -> None:
    """Stores which job held which machine when, for changed days; updates the tables made of it."""
    con = context.backend.con
    create(context)
    due = {_mark(context, day, found): (day, found) for day, found in _by_day(context).items()}
    stored = {mark for (mark,) in con.execute(f"SELECT DISTINCT mark FROM {STORE}").fetchall()}
    gone = [*stored - due.keys()]
    con.execute(f"DELETE FROM {STORE} WHERE mark IN (FROM unnest(?))", [gone])
    _store(context, {mark: due[mark] for mark in sorted(due.keys() - stored)})
    runs_of_jobs.name_runs(context)
    list_members(context)
    mark_days_seen_in_part(context)
    add_days_of_pods(context)


def read_days(context: BuildContext, days: Container[str]) -> None:
    """Stores which job held which machine when, for some days, in an empty database."""
    create(context)
    _store(context, {day: (day, found) for day, found in _by_day(context).items() if day in days})
    runs_of_jobs.name_runs_of_some_days(context)


def _store(context: BuildContext, due: Mapping[str, tuple[str, Sequence[Delivery]]]) -> None:
    """Inserts the job intervals of given days, each under a hash of its day's inputs, by one query.

    Planning a query takes longer than reading a day. Each interval knows its day by its file.
    """
    deliveries = [delivery for _, found in due.values() for delivery in found]
    if not (rows := delivered_files.read_all(context, VIEW, deliveries, file=FILE)):
        return
    days: list[list[object]] = [[] for _ in DAYS]
    for mark, (day, found) in due.items():
        for delivery, path in ((each, path) for each in found for path in each.paths):
            pulled = delivery.pulled_at.replace(tzinfo=None)
            values = (str(path), mark, day, pulled, account_of(delivery))
            for column, value in zip(days, values, strict=True):
                column.append(value)
    text = f"INSERT INTO {STORE} BY NAME {_cut(context, rows)}"
    context.backend.con.execute(parsed(text), dict(zip(DAYS, days, strict=True)))


def list_members(context: BuildContext) -> None:
    """Writes `machine_members`: per machine, latest cluster and owner, first start, account."""
    context.backend.con.execute(_members(context))


def mark_days_seen_in_part(context: BuildContext) -> None:
    """Sets `complete` to false for `allocation_days` that were last observed before they ended."""
    context.backend.con.execute(_SEEN_EARLY)


def add_days_of_pods(context: BuildContext) -> None:
    """Adds to `allocation_days` the cluster days that only container pods on a bill tell of.

    They are those of the pods' account where several accounts have a cluster of the name.
    """
    context.backend.con.execute(_DAYS_OF_PODS)


def _by_day(context: BuildContext) -> dict[str, list[Delivery]]:
    found: defaultdict[str, list[Delivery]] = defaultdict(list)
    for delivery in counted_deliveries(context.live):
        if delivery.rows:
            found[delivery.key.period].append(delivery)
    return dict(found)


def _mark(context: BuildContext, day: str, deliveries: Sequence[Delivery]) -> str:
    """Returns a hash of what a day's intervals are computed from: deliveries, settings and code."""
    told = sorted(map(_content, deliveries))
    return sha256(f"{day}{told}{line_meaning(context.settings)}{code()}".encode()).hexdigest()


def _content(each: Delivery) -> str:
    """Returns a text that identifies a delivery: format, content hash, account, last moment."""
    seen = min(each.pulled_at, end_of_day(each))
    return f"{each.format} {each.fingerprint} {account_of(each)} {seen}"


def clusters(named: str) -> str:
    """Returns the SQL that lists clusters, each with the accounts of its machines; null if unknown.

    Those that jobs held, or pods, and those that tell of the cluster each for itself; null where
    there are none: it may be any account.
    """
    members = f"FROM {MEMBERS} UNION ALL BY NAME SELECT NULL::VARCHAR AS billed_in WHERE false"
    return f"""
SELECT cluster, account
FROM ({named} UNION SELECT cluster FROM {MEMBERS})
LEFT JOIN (
  SELECT cluster, billed_in AS account FROM ({members}) WHERE billed_in IS NOT NULL
  UNION SELECT cluster, unnest(array_agg(account)) FROM allocation_days GROUP BY cluster
    HAVING bool_and(account IS NOT NULL))
  USING (cluster)"""


def create(context: BuildContext) -> None:
    """Creates the table of the intervals in which jobs held machines, if it is missing.

    It is created anew where its columns are others: one for each of `tags.extra`.
    """
    con = context.backend.con
    none: dict[str, list[object]] = {name: [] for name in DAYS}
    rows = f"SELECT *, '' AS \"{FILE}\" FROM ({delivered_files.empty(context, VIEW)})"
    text = f"CREATE OR REPLACE TEMP TABLE none_held AS {_cut(context, rows)} LIMIT 0"
    con.execute(parsed(text), none)
    con.execute(f"CREATE TABLE IF NOT EXISTS {STORE} AS FROM none_held")
    if columns_of(context.backend, STORE) != columns_of(context.backend, "none_held"):
        con.execute(f"CREATE OR REPLACE TABLE {STORE} AS FROM none_held")
    con.execute("DROP TABLE none_held")


def _cut(context: BuildContext, rows: str) -> str:
    """Returns the SQL that cuts rows of `allocations` to the UTC day that their file is about."""
    tags = "".join(f', {_label(key)} AS "tag_{key}"' for key in context.settings.tags.extra)
    return f"""
WITH days AS (
  SELECT unnest($files::VARCHAR[]) AS "{FILE}", unnest($marks::VARCHAR[]) AS mark,
    unnest($days::DATE[]) AS date, unnest($pulled::TIMESTAMP[]) AS pulled,
    nullif(unnest($accounts::VARCHAR[]), '') AS cluster_place),
given AS (
  SELECT DISTINCT i.* EXCLUDE ("{FILE}") REPLACE (coalesce(cluster_place, account) AS account),
    d.mark, d.date,
    coalesce(held_to, observed_at, d.pulled) AS given_to
  FROM ({rows}) AS i JOIN days AS d USING ("{FILE}"))
SELECT mark, date, cluster, account, region,
  resource, node, instance_type, accelerators, "of", cpus, of_cpus, share,
  workload, run, workload AS given_workload, run AS given_run, job, reason, queued_at{tags},
  greatest(held_from, date::TIMESTAMP) AS began, least(given_to, date + INTERVAL 1 DAY) AS ended,
  held_from >= date AS starts, held_to IS NOT NULL AND held_to <= date + INTERVAL 1 DAY AS ends,
  observed_at AS observed
FROM given AS g
WHERE held_from < date + INTERVAL 1 DAY AND given_to > greatest(held_from, date::TIMESTAMP)
  AND NOT {_SEEN_AGAIN}"""


_SEEN_AGAIN = """(held_to IS NULL AND job IS NOT NULL AND EXISTS (
  FROM given AS later
  WHERE later.date = g.date AND later.cluster = g.cluster AND later.job = g.job
    AND later.held_from = g.held_from
    AND later.account IS NOT DISTINCT FROM g.account
    AND later.attempt IS NOT DISTINCT FROM g.attempt
    AND later.resource IS NOT DISTINCT FROM g.resource
    AND later.instance_type IS NOT DISTINCT FROM g.instance_type
    AND later.node IS NOT DISTINCT FROM g.node
    AND (later.held_to IS NOT NULL OR later.observed_at > g.observed_at)))"""
"""SQL: an interval without an end is told again, with its end or as seen later: in another file."""


def _label(key: str) -> str:
    """Returns the SQL that reads a label by a tag's key, with or without the bill's `user:`."""
    names = (name.replace("'", "''") for name in dict.fromkeys((key, without_prefix(key))))
    found = [f"json_extract_string(labels, '$.\"{name}\"')" for name in names]
    return f"coalesce({', '.join(found)})"


def _members(context: BuildContext) -> str:
    """Returns the SQL that lists machines: latest cluster and owner, first start, account."""
    owners = ["workload", "run", *(f"tag_{key}" for key in context.settings.tags.extra)]
    latest = ", ".join(_latest(name) for name in ("cluster", *owners))
    return f"""
CREATE OR REPLACE TABLE {MEMBERS} AS
FROM (
  SELECT resource, {latest},
    min(began) FILTER (reason = 'run' AND accelerators IS DISTINCT FROM 0) AS first_from
  FROM {STORE} WHERE resource IS NOT NULL GROUP BY resource
  UNION ALL BY NAME SELECT machine AS resource, max(machine_cluster) AS cluster
  FROM {PODS} ANTI JOIN (SELECT DISTINCT resource AS machine FROM {STORE}) USING (machine)
  GROUP BY machine)
LEFT JOIN (SELECT machine AS resource, min(account) AS billed_in FROM {LINES} GROUP BY machine)
  USING (resource)"""


def _latest(name: str) -> str:
    order = "{'ended': ended, 'cluster': cluster, 'job': coalesce(job, '')}"
    return f'arg_max_null("{name}", {order}) AS "{name}"'


_SEEN_EARLY = f"""
UPDATE allocation_days SET complete = false
FROM (SELECT cluster, account, date, max(observed) AS seen FROM {STORE}
  GROUP BY GROUPING SETS ((cluster, date), (cluster, account, date))
  HAVING account IS NOT NULL OR grouping(account) = 1) AS told
WHERE told.cluster = allocation_days.cluster AND told.date = allocation_days.day
  AND told.account IS NOT DISTINCT FROM allocation_days.account
  AND seen < allocation_days.day + INTERVAL 1 DAY"""
"""What was observed before a day was over tells only a part of it."""

_DAYS_OF_PODS = f"""
INSERT INTO allocation_days BY NAME
WITH pods AS (SELECT DISTINCT machine_cluster AS cluster, account, date AS day FROM {PODS}),
alike AS (
  SELECT cluster FROM (SELECT cluster, account FROM pods
    UNION SELECT cluster, billed_in FROM {MEMBERS}
    UNION SELECT cluster, account FROM allocation_days)
  GROUP BY cluster HAVING count(DISTINCT account) > 1)
SELECT DISTINCT cluster, CASE WHEN cluster IN (FROM alike) THEN account END AS account, day,
  true AS complete
FROM pods ANTI JOIN allocation_days AS told ON told.cluster = pods.cluster AND told.day = pods.day
  AND coalesce(told.account, pods.account) = pods.account"""
"""The pods of a bill tell of days of which no scheduler does. A day without any pod of a cluster is
not one on which it stood idle: every node runs some. The export no longer has them."""

PLAIN = "regexp_replace(instance_type, '^ml\\.', '')"
"""SQL: an instance type without SageMaker's `ml.`."""
BILLED_TYPE = f"coalesce(nullif(regexp_extract(sku, '{quoted(INSTANCE)}'), ''), sku_instance_type)"
"""SQL: the instance type that a line of the bill names."""

"""Stores shared machines' hours that have a run tag: not divided, but weights to divide others.

They are that run's hours in the weights of the machine's day, beside those of its jobs, where what
bears no run tag is divided: corrections, volumes and traffic (METHOD §2.10.1, §2.10.7). The
reduction by machine has none of them, because most lines of a bill bear a run. They are read from
the delivered bills: for machines that allocations are about, on days of such a line, unless hours
without a tag fill the day. A bill whose machines have none costs no query.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from models.config.metrics.line_meaning import line_meaning
from models.engine.allocations.days_to_divide import DAYS, USED
from models.engine.allocations.held_intervals import MEMBERS
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines
from models.engine.reduction.charges_of_resources import (
    among_instances,
    charges_of_resources,
    deliveries_of,
    instance,
)
from models.engine.reduction.running_machines import HOURS
from models.engine.sql.sql_cache import code
from models.engine.warehouse.connection import parsed, transaction
from models.engine.warehouse.table_columns import columns_of

STORE, MONTHS = "tagged_lines", "tagged_months"
"""Tables: hours with a run tag, as lines of no cost; and the marks of months that were read."""
MACHINE_DAYS = "wanted_machines"
Month = tuple[str, list[str], datetime, datetime]
"""A hash of the machines and days of a month, these machines, and the days' first and last."""


def update(context: BuildContext) -> None:
    """Updates the stored run-tagged hours of machines that have untagged lines to divide as well.

    Months whose machines, days and bills are as they were are not read again.
    """
    con = context.backend.con
    create(context)
    months = _machine_days(context, machine_lines.STORE)
    due = {_mark(context, month, hashed): month for month, (hashed, *_) in months.items()}
    known = {mark for (mark,) in con.execute(f"FROM {MONTHS}").fetchall()}
    gone = "DELETE FROM {} WHERE mark NOT IN (FROM unnest(?::VARCHAR[]))"
    with transaction(con):
        for table in (STORE, MONTHS):
            con.execute(gone.format(table), [[*due]])
        for mark in sorted(due.keys() - known):
            _read(context, due[mark], months[due[mark]], mark)
            con.execute(f"INSERT INTO {MONTHS} VALUES (?)", [mark])


def read_days(context: BuildContext, lines: str) -> None:
    """Stores the run-tagged hours of given lines' machines and days; deletes all stored before."""
    create(context)
    context.backend.con.execute(f"DELETE FROM {STORE}")
    for month, listed in _machine_days(context, lines).items():
        _read(context, month, listed, "")


def create(context: BuildContext) -> None:
    """Creates the tables of tagged hours if missing; empties them if the hours' columns changed."""
    con, backend = context.backend.con, context.backend
    empty = f"SELECT ''::VARCHAR AS mark, * FROM {machine_lines.STORE} LIMIT 0"
    columns = {"mark": "string", **columns_of(backend, machine_lines.STORE)}
    anew = con.execute(_EXISTS, [STORE]).fetchall() and columns_of(backend, STORE) != columns
    how = "CREATE OR REPLACE TABLE" if anew else "CREATE TABLE IF NOT EXISTS"
    with transaction(con):
        con.execute(f"{how} {STORE} AS {empty}")
        con.execute(f"{how} {MONTHS} (mark VARCHAR)")


def _machine_days(context: BuildContext, lines: str) -> dict[str, Month]:
    """Maps each month to a hash, the machines and the time span whose run-tagged hours to read."""
    con = context.backend.con
    if not con.execute(f"SELECT 1 FROM {lines} WHERE NOT ({_RAN}) LIMIT 1").fetchall():
        return {}
    con.execute(_MACHINE_DAYS.format(lines=lines))
    return {month: tuple(listed) for month, *listed in con.execute(_BY_MONTH).fetchall()}


def _mark(context: BuildContext, month: str, hashed: str) -> str:
    """Returns a hash of what a month's tagged hours depend on: machines, bills, settings, code."""
    held = sorted(each.fingerprint for each in deliveries_of(context.bills, [month]))
    about = f"{month}{hashed}{held}{line_meaning(context.settings)}{code()}"
    return sha256(about.encode()).hexdigest()


def _read(context: BuildContext, month: str, listed: Month, mark: str) -> None:
    """Stores the tagged hours of one month's machines, read from its bills."""
    _, machines, first, last = listed
    charges = charges_of_resources(context, {month: machines}, (first, last), among_instances)
    tags = [f'"tag_{key}"' for key in context.settings.tags.extra]
    owner = ", ".join(("workload", "run", *tags))
    text = parsed(_HOURS.format(charges=charges, owner=owner))
    context.backend.con.execute(text, [month, mark])


_EXISTS = "SELECT 1 FROM duckdb_tables() WHERE table_name = ?"
_RAN = f"period_from IS NOT NULL AND {USED}"
"""SQL: the line is hours that a machine ran."""
_MACHINE_DAYS = f"""
CREATE OR REPLACE TEMP TABLE {MACHINE_DAYS} AS
WITH mine AS (
  SELECT machine, machine_cluster, date, {_RAN} AS ran,
    greatest(date, CAST(CASE WHEN NOT ({USED}) THEN period_to - INTERVAL 1 SECOND END AS DATE))
      AS last,
    CASE WHEN regexp_full_match(unit, '(?i)h(ou)?rs?') THEN quantity * coalesce(len(periods), 1)
      ELSE 0 END AS hours
  FROM {{lines}}
  WHERE machine <> '' AND machine NOT LIKE 'arn:%' AND (
    machine IN (SELECT resource FROM {MEMBERS})
    OR machine_cluster IN (SELECT cluster FROM held_clusters))),
beside AS (
  SELECT DISTINCT machine, machine_cluster,
    unnest(range(date::TIMESTAMP, last + INTERVAL 1 DAY, INTERVAL 1 DAY))::DATE AS day
  FROM mine WHERE NOT ran),
pools AS (
  SELECT m.machine, m.machine_cluster, m.date AS day
  FROM mine AS m SEMI JOIN beside AS b ON b.machine_cluster = m.machine_cluster AND b.day = m.date),
filled AS (
  SELECT machine, date AS day FROM mine WHERE ran GROUP BY ALL HAVING sum(hours) >= 24)
SELECT machine, day, max(machine_cluster) AS machine_cluster
FROM (FROM beside UNION ALL FROM pools) ANTI JOIN filled USING (machine, day)
GROUP BY machine, day"""
"""Machines and days: of pools those of all their machines, by whose time all is divided."""
_BY_MONTH = f"""
SELECT strftime(day, '%Y-%m') AS month, sum(hash(machine, day, machine_cluster))::VARCHAR,
  list(DISTINCT machine ORDER BY machine), min(day)::TIMESTAMP, max(day) + INTERVAL 1 DAY
FROM {MACHINE_DAYS} GROUP BY ALL ORDER BY ALL"""
_HOURS = f"""
INSERT INTO {STORE} BY NAME
WITH hours AS (
  SELECT *, ChargePeriodStart::DATE AS day, {instance("ResourceId")} AS machine
  FROM ({{charges}})
  WHERE run IS NOT NULL AND {HOURS} AND strftime(ChargePeriodStart, '%Y-%m') = ?
    AND ChargeCategory = 'Usage' AND ChargeClass IS DISTINCT FROM 'Correction'
    AND date_trunc('month', BillingPeriodStart) = date_trunc('month', ChargePeriodStart))
SELECT ? AS mark, machine, max(machine_cluster) AS machine_cluster,
  BillingAccountId AS billing_account, coalesce(SubAccountId, BillingAccountId) AS account,
  day AS date, RegionId AS region, SkuMeter AS sku, InstanceType AS sku_instance_type,
  ChargeCategory AS category, ConsumedUnit AS unit,
  ChargePeriodStart AS period_from, ChargePeriodEnd AS period_to,
  sum(ConsumedQuantity) AS quantity, {{owner}}
FROM hours JOIN {MACHINE_DAYS} USING (machine, day) GROUP BY ALL HAVING quantity > 0"""
"""Of one month: a bill without a folder for each has several, and is read for each of them."""
DUE = f"""
SELECT t.* EXCLUDE (mark), true AS lent FROM {STORE} AS t
SEMI JOIN (
  SELECT date FROM {DAYS}
  UNION SELECT unnest(range(l.date::TIMESTAMP, period_to, INTERVAL 1 DAY))::DATE
  FROM {machine_lines.STORE} AS l JOIN {DAYS} USING (delivery, date)
  WHERE NOT ({USED}) AND period_to > l.date + INTERVAL 1 DAY) AS d ON d.date = t.date
SEMI JOIN (
  SELECT DISTINCT billing_account FROM {machine_lines.STORE} JOIN {DAYS} USING (delivery, date)
) AS b ON b.billing_account IS NOT DISTINCT FROM t.billing_account"""
"""SQL: tagged hours on the days that are divided, of their bills' accounts; of a correction on all
its days."""

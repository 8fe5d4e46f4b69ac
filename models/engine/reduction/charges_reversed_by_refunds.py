"""Finds the run to which a refund without a run tag belongs (METHOD §2.2).

A refund names the charge that it takes back: the column `corrects` has the first of resource,
reservation, commitment and usage type that the refund states. The charges of that name in the
refund's period show whose it is, those of the refund's own SKU if there are any:

- All of one run: the refund is that run's, on the first day of those charges.
- Of several runs of one workload: it is shared, as what names only its workload (METHOD §2.6), on
  the days of those charges in proportion to what they cost.
- Of no workload, of several, or of another workload than its own tag: it stays as it is.

Example: $40 are refunded for i-0abc in May. In May i-0abc was tagged `run = r1` on every tagged
line, so r1 costs $40 less.

Charges of a resource are read from the delivered lines; untagged ones are ignored, because tags
come late. Charges of the other names are read from the reduction, by day, and untagged ones count
as another owner's. A usage type is looked up in the refund's account and region only. A refund on
the payer's own account may be for any account that it pays for; a resource or reservation is looked
up anywhere.

A commitment has both a fee and charges that it covered, so only charges of the refund's own type
count. A refund of a fee is a `purchase` on both bases and lowers no run's cost; for an unused
commitment it is `idle_commitment` (METHOD §2.6).

Owners are stored under a key of the bills of the months in question, so that a restatement of
either side finds them anew. A bill without such refunds costs no query.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from ibis.backends.duckdb import Backend

from models.engine.context import BuildContext
from models.engine.reduction import delivered_files, reduced_lines
from models.engine.reduction.charges_of_resources import (
    LINES,
    among,
    charges_of_resources,
    deliveries_of,
    span,
)
from models.engine.reduction.refunds_of_several_days import DAYS, LINE, divided, of_refund
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import code
from models.raw.delivery import Delivery

STORE, COUNTED = "reduced_refunds", "counted_lines"
"""Tables: refunds with their owners, and reduced lines with these."""
EVERY = "every_reduced_line"
"""View: all rows of the reduced bill (`models.engine.allocations.division`)."""
REFUNDS = "refunds_owned"
"""Table: the refunds among given lines with their owners, which are looked for once."""
CORRECTIONS = "corrections"
"""Table: the refunds among given lines as they were; a bill is read for them once."""
RESOURCE = "NOT list_contains([reservation, commitment, sku], corrects)"
"""SQL: the name is a resource, which the reduction keeps of no line."""


def update(context: BuildContext) -> None:
    """Finds the run of each refund that has no run tag, and updates the view `spend_reduced`."""
    backend, bills = context.backend, context.bills
    columns = mart_sql.reduced_columns(context.settings, context.sql_cache)
    stored = reduced_lines.stored_keys(backend, STORE, columns)
    mine = f"FROM {EVERY} WHERE corrects IS NOT NULL"
    months_by_refunds = _values_by_key(backend, mine, "delivery", "month")
    due_by_mark = {
        _mark(refunds, months, bills): refunds for refunds, months in months_by_refunds.items()
    }
    for gone in stored - set(due_by_mark):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
    if due := {due_by_mark[mark]: mark for mark in sorted(set(due_by_mark) - stored)}:
        _add(context, due)
    text = _instead(EVERY, STORE) if due_by_mark else f"FROM {EVERY}"
    backend.con.execute(f"CREATE OR REPLACE VIEW {COUNTED} AS {text}")
    rows = f"SELECT * EXCLUDE (delivery, source) FROM {COUNTED}"
    backend.con.execute(f"CREATE OR REPLACE VIEW spend_reduced AS {rows}")


def with_owners(context: BuildContext, rows: str) -> str:
    """Returns SQL for bill lines in which refunds have the run of the charges they reverse."""
    con, mine = context.backend.con, f"FROM {CORRECTIONS} WHERE corrects IS NOT NULL"
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {CORRECTIONS} AS FROM {rows} "
        "WHERE class = 'Correction' OR category = 'Adjustment'"
    )
    if not (months := _values_by_key(context.backend, mine, "month", "corrects")):
        return f"FROM {rows}"
    reduced = delivered_files.reducing_query(context, LINES, deliveries_of(context.bills, months))
    owned = _owned(context, mine, f"({reduced})")
    con.execute(f"CREATE OR REPLACE TEMP TABLE {REFUNDS} AS {mine} LIMIT 0")
    con.execute(f"INSERT INTO {REFUNDS} BY NAME {owned}")
    return _instead(rows, REFUNDS)


def _add(context: BuildContext, due: Mapping[str, str]) -> None:
    """Stores the refunds of deliveries with the runs to which they belong, under given keys."""
    mine = f"FROM {EVERY} WHERE corrects IS NOT NULL AND delivery IN {tuple(due)}"
    owned = _owned(context, mine, EVERY)
    rows = f"SELECT * REPLACE (MAP {dict(due)}[delivery] AS delivery) FROM ({owned})"
    context.backend.con.execute(f"INSERT INTO {STORE} BY NAME {rows}")


def _instead(rows: str, owned: str) -> str:
    return f"FROM {rows} WHERE corrects IS NULL UNION ALL BY NAME FROM {owned}"


def _mark(refunds: str, months: Collection[str], bills: Sequence[Delivery]) -> str:
    """Returns a cache key for refunds' owners that changes with the months' bills or the code."""
    held = sorted(delivery.fingerprint for delivery in deliveries_of(bills, months))
    return f"refunds:{sha256(f'{refunds}{held}{code()}'.encode()).hexdigest()}"


def _values_by_key(backend: Backend, mine: str, key: str, what: str) -> dict[str, list[str]]:
    """Maps each value of one column among refunds to the distinct values of another column."""
    return dict(
        backend.con.execute(_VALUES_BY_KEY.format(mine=mine, key=key, what=what)).fetchall()
    )


def _owned(context: BuildContext, mine: str, reduced: str) -> str:
    """Returns the SQL for refunds, each with the run and workload of the charges it reverses."""
    of_resources = f"{mine} AND {RESOURCE}"
    resources_by_month = _values_by_key(context.backend, of_resources, "month", "corrects")
    when = span(context.backend, of_resources)
    charges = charges_of_resources(context, resources_by_month, when, among)
    extra = [f'"tag_{key}"' for key in context.settings.tags.extra]
    tags, named = ", ".join(("run", *extra)), _named(context.backend, mine)
    found = _FOUND.format(
        mine=mine,
        charged=_CHARGED.format(charges=charges, reduced=reduced, tags=tags, named=named),
        owners=_OWNERS.format(agreed=", ".join(map(_one, ("owner", "run", *extra)))),
        tags_found="".join(f"coalesce(r.{tag}, o.{tag}) AS {tag}, " for tag in extra),
    )
    return divided(context.backend, found)


def _named(backend: Backend, mine: str) -> str:
    """Returns the SQL condition that a refund names a line's reservation, commitment or SKU."""
    sql = f"SELECT DISTINCT corrects {mine} AND NOT {RESOURCE} ORDER BY ALL"
    names = ", ".join(
        f"'{delivered_files.quoted(name)}'" for (name,) in backend.con.execute(sql).fetchall()
    )
    columns = ("reservation", "commitment", "sku")
    return " OR ".join(f"{column} IN ({names})" for column in columns) if names else "false"


def _one(tag: str) -> str:
    """Returns the SQL for a column's only value in a group; null if rows differ or lack it."""
    value = f"coalesce({tag}, '')"
    return f"if(min({value}) = max({value}), min({tag}), NULL) AS {tag}"


def _time(start: str, end: str) -> str:
    """Returns the SQL for a bill line's start and end; its day unless it ends after it starts."""
    day = f"date_trunc('day', {start})"
    return (
        f"if({end} > {start}, {start}, {day}) AS began, "
        f"if({end} > {start}, {end}, {day} + INTERVAL 1 DAY) AS ended"
    )


_VALUES_BY_KEY = """
SELECT {key}, list(DISTINCT {what})
FROM (SELECT *, strftime(unnest(generate_series(
        date_trunc('month', used_from), greatest(used_from, used_to - INTERVAL 1 MICROSECOND),
        INTERVAL 1 MONTH)), '%Y-%m') AS month FROM ({mine}))
GROUP BY {key}"""
_CHARGED = f"""
SELECT ResourceId AS name, BillingAccountId AS billing_account,
  coalesce(SubAccountId, BillingAccountId) AS account, RegionId AS region, SkuMeter AS sku,
  CommitmentDiscountId AS commitment, date_trunc('month', BillingPeriodStart)::DATE AS month,
  {_time("ChargePeriodStart", "ChargePeriodEnd")}, 'Used' AS what, workload AS owner, {{tags}},
  coalesce(nullif(EffectiveCost, 0), BilledCost) AS cost
FROM ({{charges}})
WHERE ChargeCategory = 'Usage' AND ChargeClass IS DISTINCT FROM 'Correction'
  AND coalesce(workload, run) IS NOT NULL
UNION ALL BY NAME
SELECT * EXCLUDE (date), date AS began, date + INTERVAL 1 DAY AS ended
FROM (SELECT unnest([reservation, commitment, sku]) AS name, billing_account, account, region, sku,
        commitment, billing_period::DATE AS month, date,
        CASE WHEN category = 'Purchase' THEN 'Purchase'
          WHEN 'Unused' IN (commitment_status, reservation_status) THEN 'Unused'
          ELSE 'Used' END AS what, workload AS owner, {{tags}},
        coalesce(nullif(effective_cost, 0), billed_cost) AS cost
      FROM {{reduced}}
      WHERE category IN ('Usage', 'Purchase') AND class IS DISTINCT FROM 'Correction'
        AND greatest(effective_cost, billed_cost) > 0 AND ({{named}}))
WHERE name IN (SELECT corrects FROM mine)"""
"""The charges that have the name of one of the refunds."""
_OWNERS = f"""
SELECT {", ".join(LINE)}, {{agreed}}, min(day) AS day,
  CASE WHEN 'Purchase' = min(what) OR min(what) = max(what) THEN min(what) END AS what,
  list({{{{'day': day, 'cost': cost}}}}) FILTER (cost > 0) AS costs
FROM (
  SELECT a.*, c.* EXCLUDE (billing_account, account, region, sku, month, began, ended),
    greatest(a.began, c.began)::DATE AS day, c.sku IS NOT DISTINCT FROM a.sku AS same_sku
  FROM (SELECT *, unnest(generate_series(date_trunc('month', began), ended - INTERVAL 1 MICROSECOND,
          INTERVAL 1 MONTH))::DATE AS month
        FROM (SELECT DISTINCT {", ".join(LINE)}, {_time("used_from", "used_to")} FROM mine)) AS a
  JOIN charged AS c
    ON c.name = a.corrects AND c.month = a.month AND c.began < a.ended AND c.ended > a.began
    AND (c.account IS NOT DISTINCT FROM a.account
      OR a.account = a.billing_account
        AND (c.billing_account = a.billing_account OR c.name IS DISTINCT FROM c.sku))
    AND (c.name IS DISTINCT FROM c.sku OR coalesce(c.region = a.region, true))
    AND (c.name IS DISTINCT FROM c.commitment OR c.sku = a.sku)
    AND (a.workload IS NULL OR c.owner = a.workload)
  QUALIFY same_sku = max(same_sku) OVER (PARTITION BY {", ".join(f"a.{name}" for name in LINE)}))
GROUP BY {", ".join(LINE)}"""
"""Whose the charges were, as far as they agree, their first day and what each cost.

Those of its own months' bills alone: so it is the same however a bill is cut into deliveries.
"""
_FOUND = f"""
WITH mine AS ({{mine}}), charged AS ({{charged}}), owners AS ({{owners}}), days AS ({DAYS})
SELECT r.* REPLACE ({{tags_found}}coalesce(r.workload, o.owner) AS workload, o.run AS run,
  coalesce(d.day, o.day, r.date) AS date,
  CASE WHEN o.run IS NULL THEN r.host END AS host,
  CASE WHEN o.what = 'Purchase' THEN o.what ELSE r.category END AS category,
  CASE WHEN o.what = 'Unused' THEN o.what ELSE r.commitment_status END AS commitment_status,
  NULL::VARCHAR AS corrects, NULL::TIMESTAMP AS used_from, NULL::TIMESTAMP AS used_to), d.cost
FROM (SELECT *, row_number() OVER () AS refund FROM mine) AS r
LEFT JOIN owners AS o
  ON {of_refund("o")} AND (o.what != 'Used' OR coalesce(o.owner, o.run) IS NOT NULL)
LEFT JOIN days AS d ON {of_refund("d")}"""
"""The refunds; one of a fee is a purchase, one of unused commitment is unused commitment."""

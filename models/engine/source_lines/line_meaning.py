"""Classifies each delivered line behind a number the way the build did.

The many lines of a bill have few different combinations of texts, so `charge_kinds` is computed
once for each combination. A shared line, which names only its workload, is behind each run that has
a part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import ibis

from models.contract import schema
from models.contract.schema import COST_COLUMNS
from models.engine import contract_tables
from models.engine.context import BuildContext
from models.engine.reduction import charges_reversed_by_refunds, machine_lines
from models.engine.source_lines import delivered_lines, divided_lines, hours_of_blocks
from models.engine.sql import rendering
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.connection import parsed
from models.engine.warehouse.table_columns import columns_of
from models.marts.cost import attribution_buckets
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.spend_reduced import grain
from models.marts.cost.charges.usage_types import usage_types
from models.raw.delivery import Delivery

MEANS = (
    "sku", "described", "sku_instance_type", "unit", "provider", "service", "service_category",
    "category", "class", "pricing_category", "commitment", "commitment_status", "reservation",
    "reservation_status", "named", "free", "holding",
)  # fmt: skip
"""What of a line decides what it means; beside them the signs of its amounts."""
AMOUNTS = {
    "quantity": "ConsumedQuantity",
    "list_cost": "ListCost",
    "contracted_cost": "ContractedCost",
    "effective_cost": "EffectiveCost",
    "billed_cost": "BilledCost",
}
LINE = "tag_line"
"""A way of meaning passes through `charge_kinds` like a tag, which is never looked into."""
BESIDE = ("began", "usage", "description", "resource")
"""Of each line, only to be read by people."""
MATCHED = (
    "date", "billing_period", "billing_account", "account", "region", "workload", "run",
    "instance_type", "purchase_option", "component", "attribution",
)  # fmt: skip
_SAME = "\n      AND ".join(
    f'{"sign" if name in AMOUNTS else ""}(l."{name}") IS NOT DISTINCT FROM m."{name}"'
    for name in (*MEANS, *AMOUNTS)
)
_OF_LINE = {
    "billing_period": "strftime(o.billing_period, '%Y-%m')",
    "workload": f"""CASE WHEN o.attribution IN {attribution_buckets.OWNED} AND NOT o.of_cluster
      THEN o.workload END""",
    "run": "CASE o.attribution WHEN 'direct' THEN o.run END",
}
_OWNED = f"""
CREATE TEMP VIEW owned AS
WITH owners AS (
  SELECT run, max(workload) AS workload FROM runs GROUP BY run
  HAVING count(DISTINCT workload) = 1)
  SELECT l.* EXCLUDE (workload, {", ".join(AMOUNTS)}),
         coalesce(l.workload, w.workload) AS workload, k.instance_type,
         {hours_of_blocks.OPTION} AS purchase_option, k.component, k.bucket, k.accelerated,
         {", ".join(f"CASE k.{n} WHEN 0 THEN 0 ELSE l.{n} END AS {n}" for n in COST_COLUMNS)},
         l.quantity
  FROM keyed AS l JOIN meant AS m ON {_SAME}
  JOIN kinds AS k USING ({LINE}) LEFT JOIN owners AS w ON w.run = l.run
  WHERE l.date BETWEEN (SELECT min(date) FROM chosen) AND (SELECT max(date) FROM chosen)"""
"""Lines with what they are and the workload of their run."""
_OF_CHOSEN = " AND ".join(
    f"c.{n} IS NOT DISTINCT FROM {_OF_LINE.get(n, f'o.{n}')}" for n in MATCHED
)
_BEHIND = f"""
CREATE TEMP VIEW attributed AS
SELECT * REPLACE (CASE WHEN of_cluster THEN 'shared' ELSE attribution END AS attribution)
FROM (SELECT *, attribution = 'other' AND holding IS NULL AND cluster IS NOT NULL
        AND (strftime(date, '%Y-%m'), cluster) IN (SELECT (month, cluster) FROM cluster_owners)
        AS of_cluster FROM attributed_lines);
CREATE TEMP TABLE chosen_keys AS
SELECT *, NULL::VARCHAR AS cluster FROM chosen
UNION SELECT c.* REPLACE (NULL AS workload, NULL AS run), p.cluster
FROM chosen AS c JOIN cluster_owners AS p
  ON p.workload = c.workload AND p.month = strftime(c.date, '%Y-%m');
CREATE TEMP VIEW behind AS
SELECT o.* FROM attributed AS o SEMI JOIN chosen_keys AS c
  ON c.cluster IS NOT DISTINCT FROM CASE WHEN o.of_cluster THEN o.cluster END AND {_OF_CHOSEN}"""
"""A line is in it once, however many rows of the mart have a part of it. What bears only the tag of
a cluster (`of_cluster`) is shared by those who held its machines that month (METHOD §2.10.7). Both
are found in one pass: to plan it takes longer than to read a small bill."""
_CLUSTER_OWNERS = """
CREATE TEMP TABLE cluster_owners AS
SELECT month, cluster, unnest(map_keys(owners)) AS workload FROM pools"""
_NO_CLUSTER = "CREATE TEMP TABLE cluster_owners (month VARCHAR, cluster VARCHAR, workload VARCHAR)"


def create_behind(context: BuildContext, deliveries: Sequence[Delivery]) -> None:
    """Creates the view `behind`: the delivered bill lines behind the rows of table `chosen`.

    A line that several of those rows come from is in the view once.
    """
    backend, compiled = context.backend, context.sql_cache
    contract_tables.fill_catalog(backend)
    delivered_lines.create_charges(context, deliveries)
    columns = columns_of(backend, "charges")
    keyed = compiled.get((__name__, "keyed", columns), partial(_chosen_lines_sql, columns))
    whole = f"SELECT * EXCLUDE (machine) FROM ({keyed.text})"
    rest = divided_lines.create(context, deliveries)
    held = f"CREATE TEMP {delivered_lines.holder(deliveries)}"
    backend.con.execute(parsed(f"{held} keyed_lines AS {whole}{rest}"))
    counted = charges_reversed_by_refunds.with_owners(context, "keyed_lines")
    backend.con.execute(f"{held} keyed AS {counted}")
    backend.con.execute(_meant(keyed.columns))
    meant = columns_of(backend, "meant")
    read = compiled.get((__name__, "usage_types", meant), partial(_usage_types, meant))
    backend.con.execute(parsed(f"CREATE TEMP TABLE read AS {read.text}"))
    kinds = compiled.get((__name__, "kinds", meant), partial(_kinds, meant, read.columns))
    backend.con.execute(parsed(f"CREATE TEMP TABLE kinds AS {kinds.text}"))
    hours_of_blocks.create(context)
    backend.con.execute(_OWNED)
    owned = columns_of(backend, "owned")
    found = compiled.get((__name__, "attributed", owned), partial(_attributed, owned))
    backend.con.execute(f"CREATE TEMP VIEW attributed_lines AS {found.text}")
    divided = machine_lines.is_published(backend)
    backend.con.execute(_CLUSTER_OWNERS if divided else _NO_CLUSTER)
    backend.con.execute(_BEHIND)


def _meant(columns: Mapping[str, str]) -> str:
    """Returns the SQL that creates `meant`: distinct values of what decides a line's class."""
    means = ", ".join(f'"{name}"' for name in MEANS)
    signs = ", ".join(f"CAST(sign({name}) AS DECIMAL(38, 9)) AS {name}" for name in AMOUNTS)
    rest = ", ".join(
        f'NULL::{_typed(dtype)} AS "{name}"'
        for name, dtype in columns.items()
        if name not in (*MEANS, *AMOUNTS, *BESIDE)
    )
    return f"""CREATE TEMP TABLE meant AS
        SELECT *, CAST(row_number() OVER () AS VARCHAR) AS {LINE}
        FROM (SELECT DISTINCT {means}, {signs}, {rest} FROM keyed
              WHERE date BETWEEN (SELECT min(date) FROM chosen)
                             AND (SELECT max(date) FROM chosen))"""


def _typed(dtype: str) -> str:
    return dtype.replace("!", "").split("(6)")[0].replace("string", "VARCHAR")


def _chosen_lines_sql(columns: Mapping[str, Any]) -> CompiledSql:
    """Compiles the SQL of single charges, with the columns by which the build sums them."""
    charges = ibis.table(ibis.schema(dict(columns)), name="charges")
    amounts = {name: charges[of].cast(schema.MONEY) for name, of in AMOUNTS.items()}
    return rendering.render(
        charges.select(
            **grain(charges),
            **amounts,
            began=charges.ChargePeriodStart,
            first_hour=charges.FirstHour,
            last_hour=charges.LastHour,
            usage=charges.SkuMeter,
            description=charges.ChargeDescription,
            resource=charges.ResourceId,
            machine=charges.MachineId,
        )
    )


def _attributed(columns: Mapping[str, Any]) -> CompiledSql:
    rows = ibis.table(ibis.schema(dict(columns)), name="owned")
    return rendering.render(rows.mutate(attribution=attribution_buckets.bucket(rows)))


def _usage_types(meant: Mapping[str, Any]) -> CompiledSql:
    known = ibis.table(ibis.schema(dict(contract_tables.COLUMNS["catalog"])), name="catalog")
    return rendering.render(usage_types(ibis.table(ibis.schema(dict(meant)), name="meant"), known))


def _kinds(meant: Mapping[str, Any], read: Mapping[str, str]) -> CompiledSql:
    usage = ibis.table(ibis.schema(dict(read)), name="read")
    return rendering.render(charge_kinds(ibis.table(ibis.schema(dict(meant)), name="meant"), usage))

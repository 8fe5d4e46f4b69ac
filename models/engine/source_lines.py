"""The delivered lines behind a number: what AWS billed, what training reported, as they lie.

Nothing of them is copied: DuckDB reads the live deliveries of the months in question, in a database
in memory beside the published snapshot. What a line means is worked out as the build did it, by
`charge_kinds`, once for each way of meaning: a bill's many lines say few things. A shared line, one
that names only its workload, stands behind each run that has a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

import ibis
import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.config.settings import Settings
from models.contract import schema
from models.contract.schema import COST_COLUMNS
from models.engine import contract_tables, cost_source
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files, refund_owners
from models.engine.sql import rendering
from models.engine.sql.compiled_sql import Said
from models.engine.warehouse.relations import Relations, beside
from models.marts.cost import attribution
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.spend_reduced import grain
from models.marts.cost.charges.usage_types import usage_types
from models.raw.delivery import Delivery
from models.raw.zone import RawZone
from models.raw.zone import live as live_of

Row = dict[str, Any]

FIRST = 1000
"""Lines that are shown; all of them are counted and summed, and stand in the file."""
MEANS = (
    "sku", "described", "sku_instance_type", "unit", "provider", "service", "service_category",
    "category", "class", "pricing_category", "commitment", "commitment_status", "reservation",
    "reservation_status", "named", "free",
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
COLUMNS = """CAST(began AS VARCHAR) AS began, account, region, usage, workload, run, attribution,
  list_cost, effective_cost, billed_cost, quantity, unit, purchase_option, category, service,
  description, resource"""


@dataclass(frozen=True)
class Found:
    """The first rows behind a number, how many there are, and what they come to.

    Of lines of a bill on one basis: `lines` what they sum to, `elsewhere` what of the shared ones
    belongs to other runs, `spread` what the method moved between lines (fees of Capacity Blocks,
    instances divided by their pods), and `number` what is shown. The first three add up to it.
    """

    rows: Sequence[Row]
    count: int
    lines: Decimal | None = None
    elsewhere: Decimal = Decimal(0)
    spread: Decimal | None = None
    number: Decimal | None = None
    files: Sequence[str] = field(default_factory=tuple)


@contextmanager
def bill_lines(
    settings: Settings, where: str, parameters: Mapping[str, object], basis: str
) -> Iterator[BillLines]:
    """The lines behind the rows of `spend_daily` that `where` leaves; `basis` as configured."""
    with beside(settings.data / "snapshots") as backend:
        text = f"CREATE TEMP TABLE selected AS SELECT *, {basis}_cost AS amount FROM spend_daily"
        backend.con.execute(f"{text} WHERE {where}", dict(parameters))
        backend.con.execute(_CHOSEN)
        months = backend.con.execute("SELECT DISTINCT billing_period FROM chosen").fetchall()
        live = RawZone(settings.data / "raw").live()
        bills = cost_source.bills(live, settings)
        wanted = [d for d in bills if d.may_hold({m for (m,) in months})]
        _lay(BuildContext.reading(settings, backend, bills), wanted)
        yield BillLines(backend, f"{basis}_cost", wanted)


class BillLines:
    """Lines that were found, in one open database."""

    def __init__(self, backend: Backend, basis: str, deliveries: Sequence[Delivery]) -> None:
        self._backend, self._basis, self._deliveries = backend, basis, deliveries

    def found(self) -> Found:
        """The first of them and what they come to."""
        rows = _rows(self._backend, f"SELECT {COLUMNS} FROM behind {self._order} LIMIT {FIRST}")
        (sums,) = _rows(self._backend, _SUMS.format(basis=self._basis))
        number = sums["number"]
        every, shared = sums["lines"], sums["shared_lines"] or Decimal(0)
        elsewhere = (sums["shared"] or Decimal(0)) - shared
        known = number is not None and every is not None
        spread = number - every - elsewhere if known else None
        return Found(rows, sums["count"], every, elsewhere, spread, number, self._files())

    def batches(self) -> pa.RecordBatchReader:
        """All of them, a batch at a time."""
        text = f"SELECT {COLUMNS} FROM behind {self._order}"
        return Relations(self._backend.con).batches(text)

    @property
    def _order(self) -> str:
        return f"ORDER BY abs({self._basis}) DESC NULLS LAST, began, usage, resource"

    def _files(self) -> list[str]:
        return [file.origin or file.name for each in self._deliveries for file in each.files]


_SUMS = """SELECT *, (SELECT sum(amount) FROM selected) AS number,
  (SELECT sum(amount) FROM selected WHERE attribution IN ('shared', 'overhead')) AS shared
FROM (SELECT count(*) AS count, CAST(sum({basis}) AS DECIMAL(38, 9)) AS lines,
        CAST(sum({basis}) FILTER (attribution = 'shared') AS DECIMAL(38, 9)) AS shared_lines
      FROM behind)"""


def delivered(settings: Settings, view: str, where: str, parameters: Mapping[str, object]) -> Found:
    """The first rows of another delivered table that `where` leaves, and how many there are."""
    with beside(settings.data / "snapshots") as backend:
        live = RawZone(settings.data / "raw").live()
        mine = [each for each in live if delivered_files.view_of(each) == view]
        delivered_files.create_view(BuildContext.reading(settings, backend), view, mine)
        text = f"SELECT * FROM {view} WHERE {where}"
        (sums,) = _rows(backend, f"SELECT count(*) AS count FROM ({text})", parameters)
        rows = _rows(backend, f"{text} ORDER BY ALL LIMIT {FIRST}", parameters)
        files = [file.origin or file.name for each in mine for file in each.files]
        return Found(rows, sums["count"], files=files)


def deliveries(settings: Settings) -> Found:
    """What was ever delivered, the newest first; the rows of those not `live` count no more."""
    zone = RawZone(settings.data / "raw")
    every = zone.deliveries()
    counted = {each.folder for each in live_of(every)}
    rows = [
        {
            "source": each.key.source,
            "unit": each.key.unit,
            "period": each.key.period,
            "pulled_at": each.pulled_at,
            "rows": each.rows,
            "files": len(each.files),
            "live": each.folder in counted,
            "sha256": each.fingerprint,
        }
        for each in reversed(every)
    ]
    return Found(rows[:FIRST], len(rows))


_SAME = "\n      AND ".join(
    f'{"sign" if name in AMOUNTS else ""}(l."{name}") IS NOT DISTINCT FROM m."{name}"'
    for name in (*MEANS, *AMOUNTS)
)
_OF_LINE = {
    "billing_period": "strftime(o.billing_period, '%Y-%m')",
    "workload": f"CASE WHEN o.attribution IN {attribution.OWNED} THEN o.workload END",
    "run": "CASE o.attribution WHEN 'direct' THEN o.run END",
}
_OWNED = f"""
CREATE TEMP VIEW owned AS
WITH owners AS (
  SELECT run, max(workload) AS workload FROM runs GROUP BY run
  HAVING count(DISTINCT workload) = 1)
  SELECT l.* EXCLUDE (workload, {", ".join(AMOUNTS)}),
         coalesce(l.workload, w.workload) AS workload, k.instance_type, k.purchase_option,
         k.component, k.bucket, k.accelerated,
         {", ".join(f"CASE k.{n} WHEN 0 THEN 0 ELSE l.{n} END AS {n}" for n in COST_COLUMNS)},
         l.quantity
  FROM keyed AS l JOIN meant AS m ON {_SAME}
  JOIN kinds AS k USING ({LINE}) LEFT JOIN owners AS w ON w.run = l.run
  WHERE l.date BETWEEN (SELECT min(date) FROM chosen) AND (SELECT max(date) FROM chosen)"""
"""Lines with what they are and the workload of their run."""
_BEHIND = f"""
CREATE TEMP VIEW behind AS
SELECT o.* FROM attributed AS o JOIN chosen AS c
  ON {" AND ".join(f"c.{n} IS NOT DISTINCT FROM {_OF_LINE.get(n, f'o.{n}')}" for n in MATCHED)}"""
"""A line stands here once, however many rows of the mart have a part of it."""


def _rows(backend: Backend, text: str, given: Mapping[str, object] | None = None) -> list[Row]:
    cursor = backend.con.execute(text, dict(given or {}))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


_CHOSEN = """
CREATE TEMP TABLE chosen AS
SELECT DISTINCT date, billing_period, billing_account, account, region, workload,
  CASE attribution WHEN 'direct' THEN run END AS run, instance_type, purchase_option, component,
  CASE attribution WHEN 'overhead' THEN 'shared' ELSE attribution END AS attribution
FROM selected"""
"""What the lines of the mart's rows look like: a share and what no run answers for, alike."""


def _lay(context: BuildContext, deliveries: Sequence[Delivery]) -> None:
    """The view `behind`: every line of these deliveries that one of `chosen` is made of."""
    backend, compiled = context.backend, context.compiled
    contract_tables.fill_catalog(backend)
    delivered_files.create_view(context, "charges", deliveries)
    columns = _columns(backend, "charges")
    keyed = compiled.said((__name__, "keyed", columns), partial(_keyed, columns))
    backend.con.execute(f"CREATE TEMP VIEW told AS {keyed.text}")
    counted = refund_owners.counted(context, "told")
    backend.con.execute(f"CREATE TEMP VIEW keyed AS {counted}")
    backend.con.execute(_meant(keyed.columns))
    meant = _columns(backend, "meant")
    read = compiled.said((__name__, "usage_types", meant), partial(_usage_types, meant))
    backend.con.execute(f"CREATE TEMP TABLE read AS {read.text}")
    said = compiled.said((__name__, "kinds", meant), partial(_kinds, meant, read.columns))
    backend.con.execute(f"CREATE TEMP TABLE kinds AS {said.text}")
    backend.con.execute(_OWNED)
    owned = _columns(backend, "owned")
    found = compiled.said((__name__, "attributed", owned), partial(_attributed, owned))
    backend.con.execute(f"CREATE TEMP VIEW attributed AS {found.text}")
    backend.con.execute(_BEHIND)


def _columns(backend: Backend, table: str) -> dict[str, str]:
    return {name: str(dtype) for name, dtype in backend.table(table).schema().items()}


def _meant(columns: Mapping[str, str]) -> str:
    """Each way of meaning once, in the columns of a reduced line; what it is not about is null."""
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


def _keyed(columns: Mapping[str, Any]) -> Said:
    charges = ibis.table(ibis.schema(dict(columns)), name="charges")
    amounts = {name: charges[of].cast(schema.MONEY) for name, of in AMOUNTS.items()}
    return rendering.render(
        charges.select(
            **grain(charges),
            **amounts,
            began=charges.ChargePeriodStart,
            usage=charges.SkuMeter,
            description=charges.ChargeDescription,
            resource=charges.ResourceId,
        )
    )


def _attributed(columns: Mapping[str, Any]) -> Said:
    rows = ibis.table(ibis.schema(dict(columns)), name="owned")
    return rendering.render(rows.mutate(attribution=attribution.bucket(rows)))


def _usage_types(meant: Mapping[str, Any]) -> Said:
    known = ibis.table(ibis.schema(dict(contract_tables.COLUMNS["catalog"])), name="catalog")
    return rendering.render(usage_types(ibis.table(ibis.schema(dict(meant)), name="meant"), known))


def _kinds(meant: Mapping[str, Any], read: Mapping[str, str]) -> Said:
    said = ibis.table(ibis.schema(dict(read)), name="read")
    return rendering.render(charge_kinds(ibis.table(ibis.schema(dict(meant)), name="meant"), said))

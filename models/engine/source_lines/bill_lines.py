"""Reads the bill lines behind rows of `spend_daily`; of shared machines, the part of each line.

DuckDB reads the live deliveries of the months in question, in a database in memory beside the
published snapshot. Only a few lines are copied into it (`delivered_lines.FEW`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal

import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.access.scope import EVERYTHING, Scope
from models.config.settings import Settings
from models.contract.rules.attribution_groups import WITHOUT_RUN_TAG
from models.engine import cost_source
from models.engine.context import BuildContext
from models.engine.source_lines import counted_lines
from models.engine.source_lines.first_lines import FIRST, FirstLines, Row
from models.engine.source_lines.line_meaning import create_behind
from models.engine.warehouse.connection import fetch
from models.engine.warehouse.relations import Relations, as_seen_by, memory_with_snapshot
from models.engine.warehouse.scoped_views import WORKLOADS
from models.raw.delivery import Delivery
from models.raw.zone import RawZone

COLUMNS = """CAST(began AS VARCHAR) AS began, account, region, usage, workload, run, attribution,
  list_cost, effective_cost, billed_cost, quantity, unit, purchase_option, category, service,
  description, resource"""


@contextmanager
def bill_lines(
    settings: Settings,
    where: str,
    parameters: Mapping[str, object],
    basis: str,
    scope: Scope = EVERYTHING,
    *,
    counted: bool = False,
) -> Iterator[BillLines]:
    """Yields a reader of the bill lines behind rows of `spend_daily` that meet an SQL condition.

    With `counted` it is a condition on `counted_costs`, and the lines are those behind its rows.

    A scope that is not everything sees the rows of its workloads. It sees no line of an instance on
    which pods or jobs of others may have run, because its cost less their own part would reveal the
    others'.
    """
    with memory_with_snapshot(settings.data / "snapshots") as backend:
        select = counted_lines.select if counted else _select
        with as_seen_by(scope, backend):
            select(backend, where, parameters, basis)
            if not scope.everything:
                backend.con.execute(f"CREATE TEMP TABLE own_workloads AS FROM {WORKLOADS}")
                backend.con.execute(_OWN_SHARED)
        backend.con.execute(_CHOSEN)
        months = backend.con.execute("SELECT DISTINCT billing_period FROM chosen").fetchall()
        live = RawZone(settings.data / "raw").live()
        bills = cost_source.bills(live, settings)
        deliveries = [d for d in bills if d.may_hold({m for (m,) in months})]
        create_behind(BuildContext.reading(settings, backend, bills, live), deliveries)
        if counted:
            counted_lines.keep_counted_idle(backend)
        if not scope.everything:
            backend.con.execute(_WITHOUT_INSTANCES_OF_OTHERS)
        shown = deliveries if scope.everything else ()
        yield BillLines(backend, f"{basis}_cost", shown, counted=counted)


def _select(backend: Backend, where: str, parameters: Mapping[str, object], basis: str) -> None:
    """Creates a temporary table `selected`: rows of `spend_daily` that meet an SQL condition."""
    text = f"CREATE TEMP TABLE selected AS SELECT *, {basis}_cost AS amount FROM spend_daily"
    backend.con.execute(f"{text} WHERE {where}", dict(parameters))


_MACHINES = (
    *("date", "billing_account", "account", "region", "workload", "instance_type"),
    "purchase_option",
)
_PLACES = ("date", "billing_account", "account", "region")


def _same(names: Sequence[str], one: str, other: str) -> str:
    return " AND ".join(f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in names)


_OWN_SHARED = f"""
CREATE TEMP TABLE own_shared AS
SELECT {", ".join(_MACHINES)}, sum(effective_cost) AS cost FROM spend_daily
WHERE attribution IN {WITHOUT_RUN_TAG} AND component = 'accelerator' GROUP BY ALL"""
"""What of a day's machines that bear only a workload's tag is the workload's (METHOD §2.10)."""
_WITHOUT_INSTANCES_OF_OTHERS = f"""
ALTER VIEW behind RENAME TO every_line_behind;
CREATE TEMP VIEW behind AS
WITH places AS (
  SELECT DISTINCT {", ".join(_PLACES)} FROM owned
  WHERE sku IN (SELECT sku FROM read WHERE of_pod)
    AND (workload IS NULL OR workload NOT IN (FROM own_workloads))),
machines AS (
  SELECT {", ".join(_MACHINES)}, sum(effective_cost) AS cost FROM every_line_behind
  WHERE attribution = 'shared' AND accelerated
  GROUP BY ALL HAVING count(*) = count(effective_cost)),
undivided AS (
  FROM machines SEMI JOIN own_shared ON {_same(_MACHINES, "machines", "own_shared")}
   AND abs(machines.cost - own_shared.cost) < 0.005)
SELECT lines.* FROM every_line_behind AS lines ANTI JOIN places
  ON lines.attribution = 'shared' AND lines.holding IS NULL
 AND lines.sku IN (SELECT sku FROM read WHERE hosts_pods)
 AND {_same(_PLACES, "lines", "places")}
WHERE (lines.attribution <> 'shared' OR NOT lines.accelerated OR lines.holding IS NOT NULL
   OR EXISTS (FROM undivided WHERE {_same(_MACHINES, "undivided", "lines")}))
  AND NOT lines.of_cluster"""
"""Lines of a machine that jobs of others held cost more than what of it is the workload's. A bill
does not say which of several machines these are, so none of the day's are shown, but parts that the
build divided: these are the workload's own. Nor are lines of a whole cluster."""


class BillLines:
    """The delivered bill lines behind a number, in an open database."""

    def __init__(
        self, backend: Backend, basis: str, deliveries: Sequence[Delivery], *, counted: bool
    ) -> None:
        self._backend, self._basis, self._deliveries = backend, basis, deliveries
        self._counted = counted

    def first(self) -> FirstLines:
        """Returns the 1000 largest bill lines behind a number, with count, sum and files of all."""
        (sums,) = fetch(self._backend, self._sums())
        number, every, none = sums["number"], sums["lines"], Decimal(0)
        elsewhere = (sums["shared"] or none) - (sums["shared_lines"] or none)
        listed = sums["idle_of"]
        idle = counted_lines.borne(self._backend, listed) - sums["idle_lines"] if listed else none
        known = number is not None and every is not None
        return FirstLines(
            rows=[_without(row, "idle_of") for row in sums["first"] or ()],
            count=sums["count"],
            lines=every,
            elsewhere=elsewhere,
            idle=idle,
            spread=number - every - elsewhere - idle if known else None,
            number=number,
            files=self._files(),
        )

    def batches(self) -> pa.RecordBatchReader:
        """Streams all bill lines behind a number in record batches, largest first."""
        text = f"SELECT {COLUMNS} FROM behind {self._order}"
        return Relations(self._backend.con).batches(text)

    def _sums(self) -> str:
        number, idle_of = (counted_lines.NUMBER, "idle_of") if self._counted else (_NUMBER, "NULL")
        return _SUMS.format(basis=self._basis, most=FIRST, number=number, idle_of=idle_of)

    @property
    def _order(self) -> str:
        return f"ORDER BY abs({self._basis}) DESC NULLS LAST, began, usage, resource"

    def _files(self) -> list[str]:
        return [file.origin or file.name for each in self._deliveries for file in each.files]


def _without(row: Row, name: str) -> Row:
    return {column: value for column, value in row.items() if column != name}


_NUMBER = f"""SELECT
  (SELECT sum(amount) FROM selected) AS number,
  (SELECT sum(amount) FROM selected WHERE attribution IN {WITHOUT_RUN_TAG}) AS shared"""
_SUMS = f"""SELECT *
FROM ({{number}}),
     (SELECT min_by(line, {{{{'size': coalesce(-abs(line.{{basis}}), 1), 'began': line.began,
          'usage': line.usage, 'resource': line.resource}}}}, {{most}}) AS first,
        count(*) AS count, CAST(sum(line.{{basis}}) AS DECIMAL(38, 9)) AS lines,
        CAST(sum(line.{{basis}}) FILTER (line.attribution = 'shared') AS DECIMAL(38, 9))
          AS shared_lines,
        CAST(sum(line.{{basis}}) FILTER (line.attribution IN {counted_lines.IDLE})
          AS DECIMAL(38, 9)) AS idle_lines,
        list(DISTINCT line.idle_of) FILTER (line.idle_of IS NOT NULL) AS idle_of
      FROM (SELECT {COLUMNS}, {{idle_of}} AS idle_of FROM behind) AS line)"""
"""All in one query: planning it takes longer than reading a small bill, and a large one is read
once. The first lines are in the order of `BillLines._order`."""
_CHOSEN = """
CREATE TEMP TABLE chosen AS
SELECT DISTINCT date, billing_period, billing_account, account, region, workload,
  CASE attribution WHEN 'direct' THEN run END AS run, instance_type, purchase_option, component,
  CASE attribution WHEN 'overhead' THEN 'shared' ELSE attribution END AS attribution
FROM selected"""
"""What identifies the lines behind the mart's rows: `overhead` comes from `shared` lines, too."""

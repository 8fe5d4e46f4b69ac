"""Stores the bill's lines of machines that jobs may share, and of pods on them, per delivery.

Both are kept by machine and period of the bill; periods of a day in which a machine cost the same
are one line that lists them (`periods`) and has the amounts of one. Pods stand in the reduction by
day as well, where those on instances without accelerators divide them
(`instances_without_accelerators`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ibis.backends.duckdb import Backend

from models.contract.rules.usage_type_patterns import POD
from models.engine.context import BuildContext
from models.engine.reduction.running_machines import running_machines
from models.engine.warehouse.table_columns import columns_of

STORE, PODS = "machine_lines", "pod_lines"
SCANNED = "scanned_lines"
OF_MACHINE = {
    "machine": "string",
    "machine_cluster": "string",
    "period_from": "timestamp(6)",
    "period_to": "timestamp(6)",
    "periods": "array<timestamp(6)>",
}
OF_POD = dict.fromkeys(("pod_accelerators", "pod_share", "pod_cost"), "decimal(38, 9)")
COLUMNS = {**OF_MACHINE, **OF_POD}
"""What the reduction with machines has beside the columns of `spend_reduced`, with Ibis types."""
SUMS = ("effective_cost", "billed_cost")
KNOWN_SUMS = ("quantity", "list_cost", "contracted_cost")
IS_POD = f"coalesce(regexp_matches(sku, '{POD}'), false)"


def move(context: BuildContext, table: str, bills: Sequence[str], form: str) -> None:
    """Moves lines of machines and pods of some bills of one format to their own tables.

    One scan of the bill gives them among all others, and a statement of DuckDB fills one table. In
    `table` stay the other lines, and sums by day of machines without hours and of pods.
    """
    backend, con = context.backend, context.backend.con
    of_bills = f"FROM {table} WHERE machine IS NOT NULL AND delivery IN (FROM unnest(?))"
    con.execute(f"CREATE OR REPLACE TEMP TABLE {SCANNED} AS {of_bills}", [[*bills]])
    con.execute(f"DELETE {of_bills}", [[*bills]])
    for store in (STORE, PODS):
        con.execute(f"CREATE TABLE IF NOT EXISTS {store} AS FROM {SCANNED} LIMIT 0")
    con.execute(f"CREATE OR REPLACE TEMP TABLE running AS {RUNNING}")
    tagged = running_machines(context, form, names(backend, _WITHOUT_HOURS))
    con.execute(f"INSERT INTO running SELECT {[*bills]}[number], machine FROM ({tagged})")
    others = f"(delivery, machine) NOT IN (FROM running) AND NOT {IS_POD}"
    running = f"(delivery, machine) IN (FROM running) AND NOT {IS_POD}"
    con.execute(f"INSERT INTO {STORE} BY NAME FROM {SCANNED} WHERE {running}")
    con.execute(f"INSERT INTO {PODS} BY NAME FROM {SCANNED} WHERE {IS_POD}")
    columns = [*columns_of(backend, SCANNED)]
    for rows in (IS_POD, others):
        con.execute(f"INSERT INTO {table} BY NAME {_by_day(columns, rows)}")
    for made in (SCANNED, "running"):
        con.execute(f"DROP TABLE {made}")


def forget(backend: Backend, delivery: str) -> None:
    """Deletes the machine and pod lines that are stored under the key of a bill delivery.

    The delivery is gone, or is summed anew.
    """
    if exists(backend):
        for table in (STORE, PODS):
            backend.con.execute(f"DELETE FROM {table} WHERE delivery = ?", [delivery])


def stored_keys(backend: Backend, like: str) -> set[str]:
    """Returns the keys of the bill deliveries of which lines of machines or pods are stored.

    The lines of all of them go if their columns are no longer those of the table `like`.
    """
    if not exists(backend):
        return set()
    if columns_of(backend, STORE) != columns_of(backend, like):
        for table in (PODS, STORE):
            backend.con.execute(f"DROP TABLE IF EXISTS {table}")
        return set()
    query = f"SELECT delivery FROM {STORE} UNION SELECT delivery FROM {PODS}"
    return {key for (key,) in backend.con.execute(query).fetchall()}


def names(backend: Backend, query: str) -> list[str]:
    """Runs an SQL query of one column, and returns its values as texts."""
    return [str(name) for (name,) in backend.con.execute(query).fetchall()]


def exists(backend: Backend) -> bool:
    """Whether bill lines of shared machines were ever stored in this warehouse."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ?"
    return bool(backend.con.execute(query, [STORE]).fetchall())


def by_period(rows: str) -> str:
    """Returns SQL that repeats a bill line for each of the equal periods that it lists."""
    return f"""
SELECT * EXCLUDE (start) REPLACE (NULL::TIMESTAMP[] AS periods, start AS period_from,
  start + (period_to - period_from) AS period_to,
  CASE WHEN periods IS NULL OR first_hour IS NULL THEN first_hour ELSE start END AS first_hour,
  CASE WHEN periods IS NULL OR last_hour IS NULL THEN last_hour
    ELSE start + (period_to - period_from) END AS last_hour)
FROM (SELECT *, unnest(coalesce(periods, [period_from])) AS start FROM ({rows}))"""


def is_published(backend: Backend) -> bool:
    """Whether the attached snapshot is of a build that divided machines among jobs or pods."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'machine_members'"
    return bool(backend.con.execute(query).fetchall())


def _by_day(columns: Sequence[str], condition: str) -> str:
    """Returns the SQL that sums machine lines per day, account, SKU and more, without machine."""
    hours = {"first_hour": "min", "last_hour": "max"}
    measures = (*SUMS, *KNOWN_SUMS, *hours)
    keys = [n for n in columns if n not in (*COLUMNS, *measures)]
    listed = ", ".join(f'"{name}"' for name in keys)
    sums = [f"sum({name}) AS {name}" for name in SUMS]
    sums += [f"if(count({n}) = count(*), sum({n}), NULL) AS {n}" for n in KNOWN_SUMS]
    sums += [f"{how}({name}) AS {name}" for name, how in hours.items()]
    return f"SELECT {listed}, {', '.join(sums)} FROM {SCANNED} WHERE {condition} GROUP BY ALL"


RUNNING = f"""
SELECT DISTINCT delivery, machine FROM {SCANNED} WHERE period_from IS NOT NULL AND NOT {IS_POD}"""
"""Machines of a delivery with hours of accelerators without a run's tag. To these are added those
with one (`running_machines`). Volumes and traffic of others stay by day: a company may have many
machines that nobody shares."""
_WITHOUT_HOURS = f"""
SELECT DISTINCT machine FROM {SCANNED} ANTI JOIN running USING (delivery, machine)
WHERE machine <> '' AND NOT {IS_POD} ORDER BY ALL"""

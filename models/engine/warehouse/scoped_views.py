"""Limits a snapshot to what a scope may see: a view or a copy of each of its tables.

Each scope has a schema of its own in a database in memory, and that schema alone is searched for
tables, so every query of a page or an export can stay as it is. A table is filtered by its column
`workload`; one without that column is the company's and empty, so that a new table is hidden until
somebody decides otherwise. The portfolio is no workload.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import duckdb

from models.access.scope import Scope
from models.contract.portfolio import PORTFOLIO
from models.contract.rules import untagged_spend_note

WORKLOADS = "workloads_in_scope"
"""A table of its own in each scope: the names of its workloads."""
COPIES = "scopes"
"""The database in memory of the copies."""
EVERYONES = ("snapshot", "queries")
"""Tables without anybody's figures: what the snapshot is, and the SQL of each mart."""
RECOMPUTED = "accelerator_days"
"""A sum of `spend_daily` over all owners: its own SQL makes it again over the scope's rows."""
PRICES_OF_OWN_MACHINES = """SELECT * FROM published.main.price_history
  WHERE (instance_type, region) IN (SELECT (instance_type, region) FROM spend_daily)"""
OF_OTHERS = {
    "break_even": f"""regexp_replace(reason, '{untagged_spend_note.NOTE}', '') AS reason,
    NULL::DECIMAL(38, 9) AS gpu_idle_share""",
    "unmatched_runs": """CASE WHEN {own} THEN counterpart_workload END AS counterpart_workload,
    CASE WHEN {own} THEN counterpart_run END AS counterpart_run,
    CASE WHEN {own} THEN tag_rule END AS tag_rule,
    CASE WHEN {own} OR cause NOT IN ('name_differs', 'several_alike') THEN cause
         WHEN seen_in = 'bill' THEN 'never_reported' ELSE 'no_charge' END AS cause""",
}
"""What a workload's row reveals about others is removed: untagged spend of the company, the idle
time of pools that others hold, too, and runs of similar names."""
Columns = Mapping[str, Collection[str]]


def create_views(connection: duckdb.DuckDBPyConnection, scope: Scope) -> str:
    """Creates views of what a scope sees of the attached snapshot; returns their search path.

    Once for each connection: for one that asks little.
    """
    return _create(connection, scope, "memory.scope", "VIEW")


def create_tables(connection: duckdb.DuckDBPyConnection, scope: Scope, schema: str) -> str:
    """Copies what a scope sees of the attached snapshot, compressed; returns the search path.

    For who asks much: planning a query over views takes some milliseconds more, which a copy does
    not. `schema` tells the scopes of one connection apart.
    """
    connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {COPIES} (COMPRESS)")
    path = _create(connection, scope, f"{COPIES}.{schema}", "TABLE")
    connection.execute(f"CHECKPOINT {COPIES}")  # it compresses what was copied
    return path


def _create(connection: duckdb.DuckDBPyConnection, scope: Scope, path: str, kind: str) -> str:
    tables = _columns(connection)
    names = _workloads(connection, scope, tables)
    condition = f"workload IN ({', '.join(map(_text, sorted(names)))})" if names else "FALSE"
    cursor = connection.cursor()
    cursor.execute(f"CREATE SCHEMA {path}")
    cursor.execute(f"SET search_path = '{path}'")
    everyone = f"SELECT DISTINCT workload FROM ({_every_workload(tables)})"
    cursor.execute(f"CREATE {kind} {path}.{WORKLOADS} AS {everyone} WHERE {condition}")
    for table, columns in tables.items():
        own = condition if "workload" in columns else "FALSE"
        rows = _own_rows(table, "TRUE" if table in EVERYONES else own)
        cursor.execute(f"CREATE {kind} {path}.{_name(table)} AS {rows}")
    for table, rows in _over_own_rows(cursor):
        cursor.execute(f"CREATE OR REPLACE {kind} {path}.{table} AS {rows}")
    cursor.close()
    return path


def _own_rows(table: str, condition: str) -> str:
    own = condition.replace("workload", "counterpart_workload", 1)
    text = OF_OTHERS.get(table, "").format(own=own)
    columns = f"* REPLACE ({text})" if text else "*"
    return f"SELECT {columns} FROM published.main.{_name(table)} WHERE {condition}"


def _over_own_rows(cursor: duckdb.DuckDBPyConnection) -> Iterable[tuple[str, str]]:
    """Yields name and SQL of company tables that are recomputed from rows that a scope may see."""
    yield "price_history", PRICES_OF_OWN_MACHINES
    query = "SELECT mart, sql FROM published.main.queries WHERE mart = ?"
    yield from cursor.execute(query, [RECOMPUTED]).fetchall()


def _columns(connection: duckdb.DuckDBPyConnection) -> Columns:
    found: dict[str, list[str]] = {}
    query = "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'published'"
    for table, column in connection.execute(query).fetchall():
        found.setdefault(table, []).append(column)
    return found


def _workloads(connection: duckdb.DuckDBPyConnection, scope: Scope, tables: Columns) -> set[str]:
    """Returns the workloads of the snapshot that are within a scope."""
    found = connection.execute(_every_workload(tables)).fetchall()
    known = {name for (name,) in found} - {None, PORTFOLIO}
    tagged = (_tagged(connection, tags, tables["spend_daily"]) for tags in scope.tags)
    return (scope.names(known) | set().union(*tagged)) & known


def _every_workload(tables: Columns) -> str:
    owned = (table for table, columns in tables.items() if "workload" in columns)
    return " UNION ".join(f"SELECT workload FROM published.main.{_name(name)}" for name in owned)


def _tagged(
    connection: duckdb.DuckDBPyConnection,
    tags: Collection[tuple[str, str]],
    columns: Collection[str],
) -> set[str]:
    """Returns the workloads all of whose used accelerator-hours have all of some tags."""
    if any(f"tag_{key}" not in columns for key, _ in tags):
        return set()
    has_tags = (f"coalesce({_name(f'tag_{key}')} = {_text(value)}, FALSE)" for key, value in tags)
    found = connection.execute(
        f"""SELECT workload FROM published.main.spend_daily
            WHERE accelerator_hours <> 0 AND attribution <> 'idle_commitment'
            GROUP BY workload HAVING bool_and({" AND ".join(has_tags)})"""
    )
    return {name for (name,) in found.fetchall()}


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

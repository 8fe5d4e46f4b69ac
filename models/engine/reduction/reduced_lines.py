"""Sums delivered bill lines by day and run, stored per delivery, so only changes are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256

from ibis.backends.duckdb import Backend

from models import formats
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines
from models.engine.reduction.delivered_files import (
    LINES,
    create_lines_view,
    quoted,
)
from models.engine.sql import compilers, delivered_sql, mart_sql
from models.engine.warehouse.table_columns import columns_of, create_empty, unbound
from models.raw.delivery import Delivery

STORE = "reduced_lines"
DAYS = "reduced_days"
"""The days of its lines (`models.engine.reduction.kept_charge_kinds`)."""
REDUCED = "reduced_elsewhere"
HERE = "duckdb"


def reduce(context: BuildContext) -> int:
    """Sums new bill deliveries by day, SKU and run; drops gone ones; returns how many are new.

    DuckDB reduces them, or `context.cluster`. Rows that another engine reduced are kept, because it
    gives the same ones. Its keys begin with its dialect and contain the SQL of that dialect.
    """
    backend, cluster = context.backend, context.cluster
    stored = stored_keys(
        backend, STORE, mart_sql.reduced_columns(context.settings, context.sql_cache)
    )
    own = cluster.DIALECT if cluster else HERE
    others = sorted({key.partition(":")[0] for key in stored} & set(compilers.COMPILERS) - {own})
    current: dict[str, Delivery] = {}
    for bill in context.bills:
        keys = [delivery_key(context, bill, dialect) for dialect in (own, *others)]
        current[next((key for key in keys if key in stored), keys[0])] = bill
    for gone in stored - set(current):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
        machine_lines.forget(backend, gone)
    due = {key: bill for key, bill in current.items() if key not in stored}
    for key, delivery in due.items():
        create_lines_view(backend, LINES, delivery.paths)
        text = _reduction(context, delivery.format, own)
        if cluster:
            backend.con.register(REDUCED, cluster.reduced(text, LINES, delivery.paths))
            text = f"FROM {REDUCED}"
        _store(context, key, delivery, text)
        backend.con.unregister(REDUCED)
    return len(due)


def _store(context: BuildContext, key: str, delivery: Delivery, text: str) -> None:
    """Stores what one scan of a delivery gives: rows by day, and those of shared machines."""
    own = f"SELECT '{key}' AS delivery, '{quoted(delivery.key.source)}' AS source"
    machine_lines.forget(context.backend, key)  # a bill of machines alone has no other rows
    lines = columns_of(context.backend, LINES)
    if reading(context, delivery.format, lines) is delivered_sql.reduction:
        context.backend.con.execute(f"INSERT INTO {STORE} BY NAME {own}, * FROM ({text})")
    else:
        machine_lines.store(context.backend, own, text, STORE)


def delivery_key(context: BuildContext, delivery: Delivery, dialect: str) -> str:
    """Returns a delivery's cache key: the SQL dialect, and a hash of its bytes and of the SQL."""
    create_lines_view(context.backend, LINES, delivery.paths)
    text = _reduction(context, delivery.format, dialect)
    return f"{dialect}:{sha256(f'{delivery.fingerprint}{text}'.encode()).hexdigest()}"


def _reduction(context: BuildContext, form: str, dialect: str) -> str:
    """Returns the SQL that sums a delivery's bill lines to one row per day, SKU and run.

    The lines are read from the view `LINES`.
    """
    lines = unbound(context.backend, LINES)
    made = reading(context, form, lines.columns)
    return delivered_sql.delivered(context, made, lines, form, dialect)


def reading(context: BuildContext, form: str, columns: Collection[str]) -> delivered_sql.Reading:
    """Picks how lines are aggregated: by machine and period only where somebody may share them."""
    if form not in formats.RESOURCE_COLUMNS:
        return delivered_sql.reduction
    if context.shares_machines:
        return delivered_sql.reduction_with_machines
    pods = any(name in columns for name in formats.PARENT_COLUMNS)
    return delivered_sql.reduction_with_pods if pods else delivered_sql.reduction


def stored_keys(backend: Backend, store: str, reduced: Mapping[str, str]) -> set[str]:
    """Returns the keys of the deliveries that a table stores; creates the table if needed.

    A table whose columns have changed is created anew, and so has no keys.
    """
    columns = {"delivery": "string", "source": "string", **reduced}
    query = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index"
    made = [column for (column,) in backend.con.execute(query, [store]).fetchall()]
    if made == [*columns]:
        marks = backend.con.execute(f"SELECT DISTINCT delivery FROM {store}").fetchall()
        return {mark for (mark,) in marks}
    create_empty(backend, store, columns)
    return set()

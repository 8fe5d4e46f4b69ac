"""Delivered lines reduced to day × run, kept per delivery: only what changed is read again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import ibis
from ibis.backends.duckdb import Backend

from models.engine.context import BuildContext
from models.engine.reduction.delivered_files import (
    LINES,
    create_lines_view,
    quoted,
)
from models.engine.sql import compilers, delivered_sql, mart_sql
from models.raw.delivery import Delivery

STORE = "reduced_lines"
DAYS = "reduced_days"
"""The days of its lines (`models.engine.reduction.kept_charge_kinds`)."""
REDUCED = "reduced_elsewhere"
HERE = "duckdb"


def reduce(context: BuildContext) -> int:
    """Reduces the bills that changed since the last build; returns how many were read.

    They are reduced by DuckDB, or on `context.cluster`. Rows that another engine reduced stay: it
    gives the same ones, and they are told apart by the SQL in that engine's own words.
    """
    backend, cluster = context.backend, context.cluster
    kept = kept_marks(backend, STORE, mart_sql.reduced_columns(context.settings, context.sql_cache))
    own = cluster.DIALECT if cluster else HERE
    others = sorted({mark.partition(":")[0] for mark in kept} & set(compilers.COMPILERS) - {own})
    wanted: dict[str, Delivery] = {}
    for found in context.bills:
        marks = [fingerprint(context, found, dialect) for dialect in (own, *others)]
        wanted[next((mark for mark in marks if mark in kept), marks[0])] = found
    for gone in kept - set(wanted):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
    due = {mark: found for mark, found in wanted.items() if mark not in kept}
    for mark, delivery in due.items():
        create_lines_view(backend, LINES, delivery.paths)
        text = _reduction(context, delivery.format, own)
        if cluster:
            backend.con.register(REDUCED, cluster.reduced(text, LINES, delivery.paths))
            text = f"FROM {REDUCED}"
        backend.con.execute(
            f"INSERT INTO {STORE} BY NAME "
            f"SELECT '{mark}' AS delivery, '{quoted(delivery.key.source)}' AS source, * "
            f"FROM ({text})"
        )
        backend.con.unregister(REDUCED)
    return len(due)


def fingerprint(context: BuildContext, delivery: Delivery, dialect: str) -> str:
    """Returns a key of a delivery's bytes, the SQL that reduces them and its dialect."""
    create_lines_view(context.backend, LINES, delivery.paths)
    text = _reduction(context, delivery.format, dialect)
    return f"{dialect}:{sha256(f'{delivery.fingerprint}{text}'.encode()).hexdigest()}"


def _reduction(context: BuildContext, form: str, dialect: str) -> str:
    """Returns the SQL that reduces the view `LINES`."""
    lines = context.backend.table(LINES)
    return delivered_sql.delivered(context, delivered_sql.reduction, lines, form, dialect)


def kept_marks(backend: Backend, store: str, reduced: Mapping[str, str]) -> set[str]:
    """Returns the keys of deliveries in a store; it is created anew if its columns changed."""
    columns = {"delivery": "string", "source": "string", **reduced}
    found = backend.con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [store])
    if found.fetchall():
        made = dict(backend.table(store).schema().items())
        if list(made) == list(columns):
            marks = backend.con.execute(f"SELECT DISTINCT delivery FROM {store}").fetchall()
            return {mark for (mark,) in marks}
        backend.con.execute(f"DROP TABLE {store}")
    backend.create_table(store, schema=ibis.schema(columns))
    return set()

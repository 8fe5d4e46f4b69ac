"""Sums each bill delivery's lines per day, account, SKU, run and more, once; stores the sums.

The sums are stored, so only deliveries that changed are read again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from ibis.backends.duckdb import Backend

from models import formats
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines
from models.engine.reduction.delivered_files import (
    LINES,
    create_numbered_lines_view,
)
from models.engine.sql import compilers, delivered_sql, mart_sql
from models.engine.warehouse.connection import parsed, transaction
from models.engine.warehouse.table_columns import (
    columns_of,
    create_empty,
    duckdb_type,
    ibis_type,
    unbound,
)
from models.raw.delivery import Delivery

STORE = "reduced_lines"
DAYS = "reduced_days"
"""The days of its lines (`models.engine.reduction.kept_charge_kinds`)."""
REDUCED = "reduced_elsewhere"
HERE = "duckdb"
MADE = """
SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index"""
_ALONE = f"""
INSERT INTO {STORE} BY NAME
SELECT ($keys::VARCHAR[])[1] AS delivery, ($sources::VARCHAR[])[1] AS source, * FROM ({{text}})"""
_NUMBERED = f"""
INSERT INTO {STORE} BY NAME
SELECT ($keys::VARCHAR[])[delivery] AS delivery, ($sources::VARCHAR[])[delivery] AS source,
  * EXCLUDE (delivery) FROM ({{text}})"""
"""Bills' keys and sources are no part of the text, which DuckDB parses once for many bills."""
LINES_TOGETHER = 1_000_000
"""Lines of several deliveries that one statement may read; more would take more memory at once."""


class Bill(NamedTuple):
    """A bill delivery, the key under which its sums are stored, and the SQL that computes them."""

    key: str
    delivery: Delivery
    text: str


def reduce(context: BuildContext) -> int:
    """Sums new bill deliveries and those whose SQL changed; returns how many. Drops old sums.

    DuckDB reduces them, or `context.cluster`. Rows that another engine reduced are kept, because it
    gives the same ones. Its keys begin with its dialect and contain the SQL of that dialect.
    """
    backend, cluster = context.backend, context.cluster
    reduced = mart_sql.reduced_columns(context.settings, context.sql_cache)
    stored = stored_keys(backend, STORE, {**reduced, **machine_lines.COLUMNS})
    stored |= machine_lines.stored_keys(backend, STORE)
    own = cluster.DIALECT if cluster else HERE
    others = sorted({key.partition(":")[0] for key in stored} & set(compilers.COMPILERS) - {own})
    current: dict[str, Bill] = {}
    for delivery in context.bills:
        bills = [bill_of(context, delivery, dialect) for dialect in (own, *others)]
        bill = next((bill for bill in bills if bill.key in stored), bills[0])
        current[bill.key] = bill
    for gone in stored - set(current):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
        machine_lines.forget(backend, gone)
    due = [bill for key, bill in current.items() if key not in stored]
    for together in batches(due, 0 if cluster else LINES_TOGETHER):
        _reduce_together(context, together)
    return len(due)


def batches(bills: Sequence[Bill], most: int) -> Iterator[list[Bill]]:
    """Yields lists of bill deliveries that one statement can sum: of the same SQL, with few lines.

    DuckDB takes longer to plan the statement than to read a month of a small company. A bill with
    more lines than `most` is a group of its own, and so is one whose format reads lines by what
    stands in others of its delivery.
    """
    for (form, _), same in groupby(sorted(bills, key=_statement), key=_statement):
        batch: list[Bill] = []
        for bill in same:
            lines = sum(each.delivery.rows for each in (*batch, bill))
            if batch and (form not in formats.PRE_AGGREGATIONS or lines > most):
                yield batch
                batch = []
            batch.append(bill)
        yield batch


def _statement(bill: Bill) -> tuple[str, str]:
    return bill.delivery.format, bill.text


def _reduce_together(context: BuildContext, bills: Sequence[Bill]) -> None:
    """Sums the lines of some bills by one SQL statement, and stores the sums."""
    backend, cluster = context.backend, context.cluster
    create_numbered_lines_view(backend, LINES, [bill.delivery.paths for bill in bills])
    text = bills[0].text
    if cluster:
        backend.con.register(REDUCED, cluster.reduced(text, LINES, bills[0].delivery.paths))
        text = f"FROM {REDUCED}"
    with transaction(backend.con):  # a bill counts as stored as soon as one of its rows is
        _store(context, bills, text)
    backend.con.unregister(REDUCED)


def _store(context: BuildContext, bills: Sequence[Bill], text: str) -> None:
    """Stores what one scan of bills gives: sums by day, and lines of shared machines and pods."""
    form = bills[0].delivery.format
    for bill in bills:  # a bill of machines alone has no other rows
        machine_lines.forget(context.backend, bill.key)
    numbered = form in formats.PRE_AGGREGATIONS
    stored = parsed((_NUMBERED if numbered else _ALONE).format(text=text))
    keys, sources = [[bill.key for bill in bills], [bill.delivery.key.source for bill in bills]]
    context.backend.con.execute(stored, {"keys": keys, "sources": sources})
    lines = columns_of(context.backend, LINES)
    if reading(context, form, lines) is not delivered_sql.reduction:
        machine_lines.move(context, STORE, [bill.key for bill in bills], form)


def bill_of(context: BuildContext, delivery: Delivery, dialect: str) -> Bill:
    """Returns a bill delivery with the SQL that sums it, and a key of both: dialect and hash."""
    create_numbered_lines_view(context.backend, LINES, [delivery.paths])
    text = _reduction(context, delivery.format, dialect)
    digest = sha256(f"{delivery.fingerprint}{text}".encode()).hexdigest()
    return Bill(f"{dialect}:{digest}", delivery, text)


def _reduction(context: BuildContext, form: str, dialect: str) -> str:
    """Returns the SQL that sums a delivery's bill lines to one row per day, SKU and run.

    The lines are read from the view `LINES`.
    """
    lines = unbound(context.backend, LINES)
    made = reading(context, form, lines.columns)
    return delivered_sql.delivered(context, made, lines, form, dialect)


def reading(context: BuildContext, form: str, columns: Collection[str]) -> delivered_sql.Reading:
    """Returns the function that sums bill lines: by machine where jobs or pods may share one."""
    if form not in formats.RESOURCE_COLUMNS:
        return delivered_sql.reduction
    pods = any(name in columns for name in formats.PARENT_COLUMNS)
    if context.shares_machines or pods:
        return delivered_sql.reduction_with_machines
    return delivered_sql.reduction


def stored_keys(backend: Backend, store: str, reduced: Mapping[str, str]) -> set[str]:
    """Returns the keys of the deliveries that a table stores; creates the table if needed.

    A table whose columns or their types have changed is created anew, and so has no keys.
    """
    columns = {"delivery": "string", "source": "string", **reduced}
    made = [(name, ibis_type(kind)) for name, kind in backend.con.execute(MADE, [store]).fetchall()]
    if made == [(name, ibis_type(duckdb_type(kind))) for name, kind in columns.items()]:
        marks = backend.con.execute(f"SELECT DISTINCT delivery FROM {store}").fetchall()
        return {mark for (mark,) in marks}
    create_empty(backend, store, columns)
    return set()

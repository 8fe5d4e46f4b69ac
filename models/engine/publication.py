"""Checks the tables of a build against the declared schema, and publishes them as a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import ibis.expr.schema as sch
from ibis.backends.duckdb import Backend

from models.contract import schema
from models.contract.edition import EDITION
from models.engine import contract_tables
from models.engine.allocations import held_intervals, runs_of_jobs
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines
from models.engine.sql import mart_sql
from models.engine.warehouse.snapshots import Snapshots
from models.engine.warehouse.table_columns import ibis_type

CIRCUMSTANCES = {
    "freshness": "last_success, last_attempt, fresh_until, restated_cost, "
    "requests_today, dollars_today"
}
"""Columns that say how and when the bill came; so does every column of `HISTORY`. They change
without a change of the bill, so they are no part of a snapshot's id."""
HISTORY = ("restatements", "late_changes")
BEYOND_THE_ID = (*CIRCUMSTANCES, *HISTORY)
"""Published tables whose rows may change while the snapshot's id stays."""
DIGEST = "count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT)"
"""A digest of the rows of `t` that is the same in any order."""


def published_tables() -> list[str]:
    """Lists the names of the tables that every published snapshot has."""
    return [*schema.MARTS, *schema.EXPLAINERS]


def derived_tables() -> dict[str, Mapping[str, str]]:
    """Maps each published table that marts compute to its declared columns and their types.

    The tables `snapshot` and `queries` are missing here, because they are written at the end.
    """
    every = {**schema.MARTS, **schema.EXPLAINERS}
    return {name: table for name, table in every.items() if name not in ("snapshot", "queries")}


def check_contract(context: BuildContext) -> None:
    """Raises `AssertionError` if a mart's columns or types are not the declared ones."""
    made = _columns(context.backend)
    for name in derived_tables():
        promised = _promised(name, tuple(context.settings.tags.extra))
        off = made[name].items() ^ promised.items()
        if off or list(made[name]) != list(promised):
            raise AssertionError(f"{name} breaks its contract: {sorted(off)}")


@cache
def _promised(name: str, extra: tuple[str, ...]) -> dict[str, str]:
    """Returns the declared shape of a published table, once for a process."""
    return shape(schema.with_tags(derived_tables()[name], extra))


def _columns(backend: Backend) -> dict[str, dict[str, str]]:
    """Reads the columns and types of every table in the database by one query.

    One query for all is cheaper than one for each of a build's many tables.
    """
    found: dict[str, dict[str, str]] = {}
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() ORDER BY column_index"
    for table, column, kind in backend.con.execute(query).fetchall():
        found.setdefault(table, {})[column] = _plain(ibis_type(kind))
    return found


def shape(columns: sch.Schema) -> dict[str, str]:
    """Maps a schema's column names to type names, without nullability and timestamp precision."""
    return {name: _plain(str(dtype)) for name, dtype in columns.items()}


def _plain(kind: str) -> str:
    return kind.replace("!", "").split("(6)")[0]


def write_snapshot_id(context: BuildContext) -> str:
    """Writes the tables `snapshot` and `queries`; returns the snapshot's id, a hash of the figures.

    The id is the same for the same rows in any order. It covers our version and the keys of extra
    tags as well, which name columns, and leaves out what says how and when the bill came
    (`CIRCUMSTANCES`, `HISTORY`).
    """
    backend, settings = context.backend, context.settings
    write_queries(context)
    digest = sha256("\0".join([version("breakeven"), *settings.tags.extra]).encode())
    for name in (name for name in derived_tables() if name not in HISTORY):
        digest.update(f"{name}:{_content(backend, name)}".encode())
    snapshot_id = digest.hexdigest()[:16]
    through = backend.con.execute("SELECT min(settled_through) FROM settled_accounts").fetchall()
    row = {
        "version": version("breakeven"),
        "snapshot_id": snapshot_id,
        "as_of": settings.today,
        "settled_through": through[0][0],
        "basis": settings.cost.basis,
        "baseline_method": settings.baseline.method,
        "edition": EDITION,
    }
    contract_tables.fill(backend, "snapshot", [row])
    return snapshot_id


def write_queries(context: BuildContext) -> None:
    """Writes the table `queries`: the SQL of each mart."""
    texts = mart_sql.texts(context.settings, context.sql_cache).items()
    rows = [{"mart": name, "sql": compiled.text} for name, compiled in texts]
    contract_tables.fill(context.backend, "queries", rows)


def _content(backend: Backend, name: str) -> tuple[int, int, int]:
    """Returns a table's row count, and xor and sum of row hashes; ignores how the bill arrived.

    Those columns are `CIRCUMSTANCES`.
    """
    left_out = CIRCUMSTANCES.get(name)
    rows = f'(SELECT * EXCLUDE ({left_out}) FROM "{name}")' if left_out else f'"{name}"'
    ((count, mixed, added),) = backend.con.execute(f"SELECT {DIGEST} FROM {rows} AS t").fetchall()
    return count, mixed, added


def publish(context: BuildContext) -> Path | None:
    """Publishes the marts as a snapshot and returns its file; None if nothing has changed.

    Where only `CIRCUMSTANCES`, `HISTORY` or the basis that pages name beside equal figures changed,
    the snapshot is published again under the same id.
    """
    backend = context.backend
    snapshots = Snapshots(context.settings.data / "snapshots")
    digests = (f'(SELECT row({DIGEST}) FROM "{name}" AS t)' for name in BEYOND_THE_ID)
    query = f"SELECT snapshot_id, basis, baseline_method, {', '.join(digests)} FROM snapshot"
    if snapshots.answer(query) == backend.con.execute(query).fetchall():
        return None
    return snapshots.publish(backend, [*published_tables(), *tables_of_division(backend)])


def tables_of_division(backend: Backend) -> list[str]:
    """Names the tables about jobs to publish; [] if no shared machine's line was ever stored.

    With them the lines behind a number are divided as the build did
    (`models.engine.source_lines.divided_lines`).
    """
    about_jobs = [held_intervals.MEMBERS, runs_of_jobs.SHARED_NUMBERS, "allocation_days"]
    return about_jobs if machine_lines.exists(backend) else []

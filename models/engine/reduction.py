"""Delivered lines where they lie: views over live files, and the reduction of each delivery."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.backends.duckdb import Backend

from models import formats
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import StorageError
from models.engine import dialects
from models.engine.context import BuildContext
from models.raw.zone import Delivery

STORE = "reduced_lines"
DAYS = "reduced_days"
"""The days of its lines (`models.engine.kept_charge_kinds`)."""
LINES = "delivered_lines"
TOLD = "progress"
REDUCED = "reduced_elsewhere"
HERE = "duckdb"
REGIONAL = re.compile(r"(\d{12})-[a-z]+(?:-[a-z]+)+-\d+")
"""The key of what an account says in one region."""
Whose = tuple[str, str | None]
"""A source, and an account."""


class News(NamedTuple):
    """A day that a source has brought for an account; `pulled_at` is of its newest delivery."""

    source: str
    account: str | None
    day: date | None
    pulled_at: datetime


def view_of(delivery: Delivery) -> str:
    """Which table of `schema.DELIVERED` a delivery contributes to."""
    return formats.named(delivery.format).VIEW


def create_view(context: BuildContext, view: str, deliveries: Sequence[Delivery]) -> None:
    """Creates a view in our schema over the files of `deliveries`; without any, an empty one."""
    rows = _rows(context, view, deliveries) or empty(context, view)
    if view != "charges":  # a sample or a price that two files hold was still seen once
        rows = f"SELECT DISTINCT * FROM ({rows})"
    context.backend.con.execute(f"CREATE OR REPLACE VIEW {view} AS {rows}")


def _rows(
    context: BuildContext,
    view: str,
    deliveries: Sequence[Delivery],
    made: dialects.Made = dialects.rows,
) -> str:
    """The query for what the files hold, as often as they hold it; empty without a file."""
    parts = []
    for number, (form, paths) in enumerate(alike(deliveries)):
        source = f"{view}_lines_{number}"
        _lines_view(context.backend, source, paths)
        lines = context.backend.table(source)
        parts.append(dialects.delivered(context, made, lines, form))
    return " UNION ALL ".join(f"FROM ({part})" for part in parts)


def reduction(context: BuildContext, view: str, deliveries: Sequence[Delivery]) -> str:
    """The query that reduces what the files hold, where nothing of it is kept."""
    return _rows(context, view, deliveries, dialects.reduction)


def reduce(context: BuildContext) -> int:
    """Brings the store up to date. Reads only bills that changed; returns how many.

    They are reduced by DuckDB, or on `context.cluster`. Rows that another engine reduced stay: it
    gives the same ones, and they are told apart by the SQL in that engine's own words.
    """
    backend, cluster = context.backend, context.cluster
    kept = kept_marks(backend, STORE, dialects.reduced_columns(context.settings, context.compiled))
    own = cluster.DIALECT if cluster else HERE
    others = sorted({mark.partition(":")[0] for mark in kept} & set(dialects.COMPILERS) - {own})
    wanted: dict[str, Delivery] = {}
    for found in context.bills:
        marks = [_mark(context, found, dialect) for dialect in (own, *others)]
        wanted[next((mark for mark in marks if mark in kept), marks[0])] = found
    for gone in kept - set(wanted):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
    due = {mark: found for mark, found in wanted.items() if mark not in kept}
    for mark, delivery in due.items():
        _lines_view(backend, LINES, delivery.paths)
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


def news(context: BuildContext) -> Iterator[News]:
    """The days that live deliveries hold, per source and account; after `reduce`.

    Of a bill it is the billing account; of progress the account in the delivery's key, if any.
    The view of progress holds no other days where one source brought them all.
    """
    backend, live = context.backend, context.live
    newest = {d.key.source: d.pulled_at for d in sorted(live, key=_pulled)}
    seen: defaultdict[Whose, list[date | None]] = defaultdict(list)
    billed = backend.con.execute(f"SELECT DISTINCT source, billing_account, date FROM {DAYS}")
    for source, account, day in billed.fetchall():
        seen[source, account].append(day)
    told = _told(live, context.settings)
    for whose, mine in told.items():
        rows = TOLD if len(told) == 1 else f"({_rows(context, 'told', mine)})"
        days = backend.con.execute(f"SELECT DISTINCT observed_at::DATE FROM {rows}").fetchall()
        seen[whose] = [day for (day,) in days]
    for source in set(newest) - {source for source, _ in seen}:
        seen[source, None] = []
    for whose in sorted(seen, key=str):
        at = max(map(_pulled, told.get(whose, [])), default=newest[whose[0]])
        for day in seen[whose] or [None]:
            yield News(*whose, day, at.replace(tzinfo=None))


def _told(live: Sequence[Delivery], settings: Settings) -> dict[Whose, list[Delivery]]:
    """The deliveries of progress, by source and account."""
    found: defaultdict[Whose, list[Delivery]] = defaultdict(list)
    for delivery in live:
        if view_of(delivery) == "progress":
            found[delivery.key.source, _account(delivery, settings)].append(delivery)
    return dict(found)


def _account(delivery: Delivery, settings: Settings) -> str | None:
    """Whose a delivery is: by account and region, or by an account that the config knows."""
    metrics = REGIONAL.fullmatch(delivery.key.unit)
    first = delivery.key.unit.partition("/")[0]
    known = any(entry.id == first for entry in settings.accounts)
    return metrics[1] if metrics else first if known else None


def _pulled(delivery: Delivery) -> datetime:
    return delivery.pulled_at


def quoted(text: str) -> str:
    """`text` as it stands between quotes in SQL."""
    return text.replace("'", "''")


def _mark(context: BuildContext, delivery: Delivery, dialect: str) -> str:
    """The fingerprint of a delivery's bytes and of the SQL that reduces them, and its engine."""
    _lines_view(context.backend, LINES, delivery.paths)
    text = _reduction(context, delivery.format, dialect)
    return f"{dialect}:{sha256(f'{delivery.fingerprint}{text}'.encode()).hexdigest()}"


def _reduction(context: BuildContext, form: str, dialect: str) -> str:
    """The SQL over the view `LINES`."""
    lines = context.backend.table(LINES)
    return dialects.delivered(context, dialects.reduction, lines, form, dialect)


def kept_marks(backend: Backend, store: str, reduced: Mapping[str, str]) -> set[str]:
    """Marks already reduced; a store is made anew when its columns are no longer the ones."""
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


def _lines_view(backend: Backend, name: str, paths: Iterable[Path]) -> None:
    backend.con.execute(f"CREATE OR REPLACE VIEW {name} AS {read(paths)}")


def read(paths: Iterable[Path]) -> str:
    """The query for the lines of files."""
    files = ", ".join(f"'{quoted(str(path))}'" for path in paths)
    return f"SELECT * FROM read_parquet([{files}], union_by_name = true)"


def alike(deliveries: Iterable[Delivery]) -> list[tuple[str, list[Path]]]:
    """Files grouped by format and columns: what differs in type must not be mixed."""
    groups: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for delivery in deliveries:
        for path in delivery.paths:
            found = columns(path)
            groups[delivery.format, str(found)].append(path)
    return [(form, paths) for (form, _), paths in groups.items()]


def columns(path: Path) -> pa.Schema:
    """Names and types of a delivered file. Raises `StorageError` where it is damaged."""
    try:
        return pq.read_schema(path).remove_metadata()
    except (pa.ArrowInvalid, OSError) as error:
        raise damaged(path, str(error)) from None


def damaged(path: Path, words: str) -> StorageError:
    """A delivered file that was whole when it was sealed and no longer is."""
    return StorageError(
        f"cannot read {path}",
        value=words.splitlines()[0],
        remedy=f"delete {path.parent} and run `breakeven ingest`",
    )


def empty(context: BuildContext, view: str) -> str:
    """The query for no rows of a table of `schema.DELIVERED`."""
    columns = schema.DELIVERED[view]
    typed = schema.with_tags(columns, context.settings.tags.extra)
    nothing: ir.Table = ibis.table(typed, name="nothing")
    casts = ", ".join(
        f'CAST(NULL AS {_duck(str(dtype))}) AS "{name}"' for name, dtype in nothing.schema().items()
    )
    return f"SELECT {casts} WHERE false"


def _duck(dtype: str) -> str:
    return {"string": "VARCHAR", "float64": "DOUBLE"}.get(dtype, dtype.upper())

"""From the raw zone to a published snapshot; everything here can be made again.

Formats become the views `charges`, `progress`, `prices`, `capacity`; the reduction runs for each
delivery that is new; marts follow (`derivation`); schemas are checked; what changed is published.
Only the one writer runs this, under the lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import ibis.expr.schema as sch
from ibis.backends.duckdb import Backend
from ibis.backends.sql.datatypes import DuckDBType

from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import MissingDataError
from models.engine import (
    closed_months,
    dialects,
    inputs,
    kept_charge_kinds,
    mart_runner,
    reduction,
    refunds,
    warehouse,
)
from models.engine.compiled_sql import Compiled
from models.engine.spark import Cluster
from models.marts import MARTS
from models.raw.zone import Delivery, RawZone
from models.raw.zone import live as live_of

NEWS = {
    "freshness": "last_success, last_attempt, fresh_until, restated_cost, "
    "requests_today, dollars_today"
}
"""Columns that tell how the bill came to be what it is; so do all of `HISTORY`."""
HISTORY = ("restatements", "late_changes")
DIGEST = "count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT)"
"""Of rows `t` in any order."""


KEPT = frozenset({"usages", "charge_kinds", "billed_days"})
"""The marts that stand in the file with the reduction."""


@dataclass(frozen=True)
class Built:
    """What a build did. `published` is None where the snapshot already said the same."""

    snapshot_id: str
    published: Path | None
    deliveries: int
    reduced: int

    def line(self) -> str:
        """For people."""
        what = f"published {self.published.name}" if self.published else "unchanged"
        return (
            f"snapshot {self.snapshot_id}: {what} "
            f"({self.deliveries} deliveries live, {self.reduced} reduced)"
        )

    def document(self) -> dict[str, object]:
        """For machines."""
        return {
            "snapshot_id": self.snapshot_id,
            "published": str(self.published) if self.published else None,
            "deliveries": self.deliveries,
            "reduced": self.reduced,
        }


def build(settings: Settings, *, wait: float = 0, cluster: Cluster | None = None) -> Built:
    """Derives every mart from the raw zone and publishes what changed.

    Delivered lines are reduced here, or on `cluster`; all that follows is small and runs here.
    """
    with warehouse.lock(settings.data, purpose="build", wait=wait):
        every = RawZone(settings.data / "raw").deliveries()
        live = live_of(every)
        money = billed(live, settings)
        known = Compiled(settings.data)
        with warehouse.writer(settings.warehouse_file) as backend:
            reduced = _derive(backend, every, live, money, settings, known, cluster)
            mark = _snapshot_id(backend, settings, known)
            published = _publish(backend, settings)
        known.save()
    return Built(mark, published, len(live), reduced)


def refresh(settings: Settings) -> None:
    """Makes the views of `warehouse.duckdb` show what is live now; nothing is derived."""
    with warehouse.lock(settings.data, purpose="ingest"):
        live = RawZone(settings.data / "raw").live()
        with warehouse.writer(settings.warehouse_file) as backend:
            known = Compiled(settings.data)
            refresh_views(backend, live, _money(live, settings), settings, known)


def _money(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    return [
        delivery
        for delivery in live
        if settings.cost.source in (delivery.key.source, delivery.format)
        and reduction.view_of(delivery) == "charges"
    ]


def billed(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    """The deliveries that money comes from: those of `cost.source`, a source's name or its kind."""
    found = _money(live, settings)
    if not found:
        raise MissingDataError(
            "no bill was delivered by cost.source",
            value=settings.cost.source,
            remedy="run `breakeven ingest`, or set cost.source to a source that brings charges",
        )
    return found


def refresh_views(
    backend: Backend,
    live: Sequence[Delivery],
    money: Sequence[Delivery],
    settings: Settings,
    known: Compiled,
) -> None:
    """The tables of `schema.DELIVERED` over the live files, in our schema; no row is copied."""
    for view in schema.DELIVERED:
        found = money if view == "charges" else live
        wanted = [d for d in found if reduction.view_of(d) == view]
        reduction.create_view(backend, view, wanted, settings, known)


def _derive(
    backend: Backend,
    every: list[Delivery],
    live: list[Delivery],
    money: list[Delivery],
    settings: Settings,
    known: Compiled,
    cluster: Cluster | None,
) -> int:
    refresh_views(backend, live, money, settings, known)
    inputs.lay(backend, live, money, settings)
    closed_months.lay(backend, settings)
    reduced = reduce(backend, money, settings, known, cluster)
    inputs.lay_restated(backend, every, settings)
    derive_marts(backend, live, settings, known)
    _check(backend, settings)
    return reduced


def derive(
    backend: Backend,
    every: list[Delivery],
    live: list[Delivery],
    settings: Settings,
    known: Compiled,
) -> None:
    """Every mart from `live` alone; `every` is what was ever delivered, for its history."""
    _derive(backend, every, live, billed(live, settings), settings, known, None)


def reduce(
    backend: Backend,
    money: Sequence[Delivery],
    settings: Settings,
    known: Compiled,
    cluster: Cluster | None = None,
) -> int:
    """What is kept per delivery; returns how many were read.

    Lines are reduced here or on `cluster`; what follows from them is few rows and stays here.
    """
    read = reduction.reduce(backend, money, settings, known, cluster)
    refunds.keep(backend, money, settings, known)
    kept_charge_kinds.keep(backend, settings, known)
    return read


def derive_marts(
    backend: Backend, live: Sequence[Delivery], settings: Settings, known: Compiled
) -> None:
    """All that follows from the reduction; it stands in memory until it is published."""
    _forget(backend)
    warehouse.set_apart(backend)
    news = partial(inputs.lay_news, live=live, settings=settings, known=known)
    beside = {"delivered": mart_runner.Task(news, frozenset({mart_runner.HELD}))}
    mart_runner.make_marts(backend, settings, known, kept=KEPT, beside=beside)


def _forget(backend: Backend) -> None:
    """What an earlier version kept in the file, though only snapshots show it."""
    made = {mart.__name__ for mart in MARTS} - KEPT
    derived = made | {*published_tables(), *mart_runner.FILLED, *inputs.NEWS}
    found = backend.con.execute(
        "SELECT table_name, 'TABLE' FROM duckdb_tables() WHERE NOT temporary UNION ALL "
        "SELECT view_name, 'VIEW' FROM duckdb_views() WHERE NOT temporary AND NOT internal"
    ).fetchall()
    for name, kind in found:
        if name in derived:
            backend.con.execute(f'DROP {kind} "{name}"')


def _check(backend: Backend, settings: Settings) -> None:
    """A mart whose columns are not the contract's is our mistake, and stops the build."""
    made = _made(backend)
    for name, columns in _derived_tables().items():
        wanted = _shape(schema.with_tags(columns, settings.tags.extra))
        off = made[name].items() ^ wanted.items()
        if off or list(made[name]) != list(wanted):
            raise AssertionError(f"{name} breaks its contract: {sorted(off)}")


def _made(backend: Backend) -> dict[str, dict[str, str]]:
    """Every table's columns; one question for all, for a build has many and each has its price."""
    found: dict[str, dict[str, str]] = {}
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() ORDER BY column_index"
    for table, column, kind in backend.con.execute(query).fetchall():
        found.setdefault(table, {})[column] = _plain(_type(kind))
    return found


@cache
def _type(kind: str) -> str:
    return str(DuckDBType.from_string(kind))


def _derived_tables() -> dict[str, Mapping[str, str]]:
    """The published tables that marts make; `snapshot` and `queries` are written at the end."""
    every = {**schema.MARTS, **schema.EXPLAINERS}
    return {name: table for name, table in every.items() if name not in ("snapshot", "queries")}


def _shape(columns: sch.Schema) -> dict[str, str]:
    """Names and types without nullability and timestamp precision."""
    return {name: _plain(str(dtype)) for name, dtype in columns.items()}


def _plain(kind: str) -> str:
    return kind.replace("!", "").split("(6)")[0]


def published_tables() -> list[str]:
    """What a snapshot holds."""
    return [*schema.MARTS, *schema.EXPLAINERS]


def _snapshot_id(backend: Backend, settings: Settings, known: Compiled) -> str:
    """The same for the same rows, in whatever order they were made; also writes `snapshot`."""
    texts = dialects.texts(settings, known).items()
    inputs.fill(backend, "queries", [{"mart": name, "sql": said.text} for name, said in texts])
    digest = sha256(version("breakeven").encode())
    for name in (name for name in _derived_tables() if name not in HISTORY):
        digest.update(f"{name}:{_content(backend, name)}".encode())
    mark = digest.hexdigest()[:16]
    through = backend.con.execute("SELECT min(settled_through) FROM settled_accounts").fetchall()
    row = {
        "version": version("breakeven"),
        "snapshot_id": mark,
        "as_of": settings.today,
        "settled_through": through[0][0],
        "basis": settings.cost.basis,
        "baseline_method": settings.baseline.method,
    }
    inputs.fill(backend, "snapshot", [row])
    return mark


def _content(backend: Backend, name: str) -> tuple[int, int, int]:
    """When a feed was asked, and what it said before, is news: one bill makes one snapshot."""
    news = NEWS.get(name)
    rows = f'(SELECT * EXCLUDE ({news}) FROM "{name}")' if news else f'"{name}"'
    ((count, mixed, added),) = backend.con.execute(f"SELECT {DIGEST} FROM {rows} AS t").fetchall()
    return count, mixed, added


def _publish(backend: Backend, settings: Settings) -> Path | None:
    """A snapshot of the same id is published again where only its news are others."""
    snapshots = warehouse.Snapshots(settings.data / "snapshots")
    told = (f'(SELECT row({DIGEST}) FROM "{name}" AS t)' for name in (*NEWS, *HISTORY))
    query = f"SELECT snapshot_id, {', '.join(told)} FROM snapshot"
    if snapshots.standing(query) == backend.con.execute(query).fetchall():
        return None
    return snapshots.publish(backend, published_tables())

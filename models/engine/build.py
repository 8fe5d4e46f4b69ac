"""Builds everything from the raw zone to a published snapshot; a build can always be repeated.

Formats become the views `charges`, `progress`, `prices` and `capacity`. The reduction runs for each
new delivery, the marts follow (`mart_runner`), schemas are checked, and what changed is published.
Only the one writer runs this, under the lock.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from ibis.backends.duckdb import Backend

from models.config.settings import Settings
from models.contract import schema
from models.engine import build_record, cost_source, mart_runner, publication
from models.engine.allocations import counted_deliveries, division
from models.engine.context import BuildContext
from models.engine.edition_changes import edition_changes
from models.engine.inputs import before_the_reduction, closed_months, feed_history
from models.engine.reduction import (
    charges_reversed_by_refunds,
    delivered_files,
    kept_charge_kinds,
    reduced_lines,
)
from models.engine.spark.cluster import Cluster
from models.engine.sql.compiling_apart import compiling_apart
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse import connection
from models.engine.warehouse.lock import lock
from models.engine.warehouse.schema_versions import open_warehouse
from models.engine.warehouse.snapshots import Snapshots
from models.marts import MARTS
from models.raw.delivery import Delivery
from models.raw.live_deliveries import live_deliveries
from models.raw.zone import RawZone

INTERNAL = frozenset({"usage_types", "charge_kinds", "billed_days"})
"""The marts that are kept in the warehouse file with the reduction, from build to build."""


@dataclass(frozen=True)
class Built:
    """A build's result: snapshot, counts of deliveries, what a new edition of the method changed.

    `deliveries` is how many deliveries count, `reduced` how many bills were newly read. `published`
    is None where the current snapshot already has the same rows.
    """

    snapshot_id: str
    published: Path | None
    deliveries: int
    reduced: int
    edition_changes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Formats a build's result as lines: a summary, then figures that a new edition changed."""
        return [self.line(), *self.edition_changes]

    def line(self) -> str:
        """Formats a build's result as one line of text for the terminal."""
        what = f"published {self.published.name}" if self.published else "unchanged"
        return (
            f"snapshot {self.snapshot_id}: {what} "
            f"({self.deliveries} deliveries live, {self.reduced} reduced)"
        )

    def document(self) -> dict[str, object]:
        """Formats a build's result as a dictionary for JSON."""
        return {
            "snapshot_id": self.snapshot_id,
            "published": str(self.published) if self.published else None,
            "deliveries": self.deliveries,
            "reduced": self.reduced,
            "edition_changes": [*self.edition_changes],
        }


def build(settings: Settings, *, wait: float = 0, cluster: Cluster | None = None) -> Built:
    """Computes every mart from the delivered files, and publishes a snapshot if any row changed.

    Waits `wait` seconds for another writer (-1: for ever). Delivered lines are reduced by DuckDB,
    or on `cluster`; all that follows is small and runs in DuckDB.
    """
    with (
        lock(settings.data, purpose="build", wait=wait),
        build_record.recorded(settings.data) as record,
    ):
        deliveries = RawZone(settings.data / "raw").deliveries()
        live = live_deliveries(deliveries)
        record.lines = sum(delivery.rows for delivery in live)
        bills = cost_source.bills(live, settings)
        compiled = SqlCache(settings.data)
        with (
            compiling_apart(settings, compiled) as ready,
            open_warehouse(settings.warehouse_file) as backend,
        ):
            context = BuildContext(
                settings, backend, compiled, deliveries, live, bills, cluster, ready
            )
            reduced = derive(context)
            snapshot_id = publication.write_snapshot_id(context)
            snapshots = Snapshots(settings.data / "snapshots")
            moved = tuple(edition_changes(settings, snapshots, backend))
            published = publication.publish(context)
        compiled.save()
    return Built(snapshot_id, published, len(live), reduced, moved)


def refresh(settings: Settings) -> None:
    """Points the views of `warehouse.duckdb` at the newest deliveries; computes nothing."""
    with lock(settings.data, purpose="ingest"):
        live = RawZone(settings.data / "raw").live()
        bills = cost_source.bills_if_any(live, settings)
        with open_warehouse(settings.warehouse_file) as backend:
            compiled = SqlCache(settings.data)
            refresh_views(BuildContext(settings, backend, compiled, live=live, bills=bills))


def refresh_views(context: BuildContext) -> None:
    """Creates the views of delivered rows (charges, progress, prices, …) over Parquet files.

    They are the views of `schema.DELIVERED`. No row is copied.
    """
    by_view = {view: _deliveries_of(context, view) for view in schema.DELIVERED}
    delivered_files.refuse_lost(chain.from_iterable(by_view.values()))
    for view, deliveries in by_view.items():
        delivered_files.create_view(context, view, deliveries)


def _deliveries_of(context: BuildContext, view: str) -> list[Delivery]:
    """Returns the deliveries, not superseded ones, whose rows a delivered table has."""
    if view == counted_deliveries.VIEW:
        return counted_deliveries.counted_deliveries(context.live)
    found = context.bills if view == "charges" else context.live
    return [each for each in found if delivered_files.view_of(each) == view]


def derive(context: BuildContext, only: Collection[str] | None = None) -> int:
    """Computes all marts, or some and their inputs; returns how many bills were newly summed."""
    refresh_views(context)
    before_the_reduction.fill_all(context)
    closed_months.fill_closed_months(context)
    reduced = reduce(context)
    feed_history.fill_restated_totals(context)
    derive_marts(context, only)
    if only is None:
        publication.check_contract(context)
    return reduced


def reduce(context: BuildContext) -> int:
    """Updates the stored sums of bill lines; returns how many bill deliveries were newly read.

    Lines are reduced by DuckDB or on `context.cluster`; what follows is few rows and runs here.
    """
    read = reduced_lines.reduce(context)
    division.update(context)
    charges_reversed_by_refunds.update(context)
    kept_charge_kinds.update(context)
    return read


def derive_marts(context: BuildContext, only: Collection[str] | None = None) -> None:
    """Computes all marts, or some and their inputs, in memory, from bill lines already summed."""
    _drop_former_marts(context.backend)
    connection.derive_in_memory(context.backend)
    history = mart_runner.Task(
        partial(_fill_feed_history, context),
        frozenset({mart_runner.STORED_VIEW}),
        feed_history.FILLED,
    )
    mart_runner.make_marts(context, INTERNAL, {"feed history": history}, only)


def _fill_feed_history(context: BuildContext, backend: Backend) -> None:
    feed_history.fill_feed_history(context.on(backend))


def _drop_former_marts(backend: Backend) -> None:
    """Drops derived tables and views that an earlier version left in the warehouse file."""
    made = {mart.__name__ for mart in MARTS} - INTERNAL
    derived = made | {*publication.published_tables(), *mart_runner.FILLED, *feed_history.FILLED}
    found = backend.con.execute(
        "SELECT table_name, 'TABLE' FROM duckdb_tables() WHERE NOT temporary UNION ALL "
        "SELECT view_name, 'VIEW' FROM duckdb_views() WHERE NOT temporary AND NOT internal"
    ).fetchall()
    for name, kind in found:
        if name in derived:
            backend.con.execute(f'DROP {kind} "{name}"')

"""A build that stops early: only the marts that a test asks about, and what these are made from.

All that comes before the marts is done as in a build. No schema is checked; a test that asks about
that, or about the snapshot, builds everything.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine import build, cost_source, publication
from models.engine.context import BuildContext
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse import connection
from models.engine.warehouse.schema_versions import open_warehouse
from models.engine.warehouse.snapshots import Snapshots
from models.raw.live_deliveries import live_deliveries
from models.raw.zone import RawZone
from tests.support import shared_worlds
from tests.support.world import Marts, one_core

Tables = Mapping[str, pa.Table]


@dataclass
class SomeMarts(Marts):
    """The rows of a few marts, after the build that made them is over.

    `reduced`: how many deliveries it had to reduce.
    """

    tables: Tables
    reduced: int

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        con = duckdb.connect(config={"threads": 1})
        for name, table in self.tables.items():
            con.register(name, table)
        return con

    def rows(self, sql: str, *parameters: object) -> list[dict[str, Any]]:
        """Rows of a query on these marts."""
        return connection.dictionaries(self._connection.execute(sql, parameters))


def some_marts(settings: Settings, *names: str) -> SomeMarts:
    """Makes the marts `names` from what was pulled, by way of the reduction."""
    return SomeMarts(settings, *make_tables(settings, names))


def make_tables(settings: Settings, names: tuple[str, ...]) -> tuple[Tables, int]:
    """The marts `names`, and how many deliveries were reduced."""
    step = shared_worlds.step(f"marts {names}", settings)
    if kept := step.take():
        tables, reduced = kept.result
        return tables, reduced
    with _derived(settings, names) as (context, reduced):
        con = context.backend.con
        tables = {name: con.sql(f"FROM {name}").to_arrow_table() for name in names}
    step.add((tables, reduced))
    return tables, reduced


def published(settings: Settings, *names: str) -> Marts:
    """A snapshot of the marts `names` alone, for what reads no others."""
    step = shared_worlds.step(f"published {names}", settings)
    if not step.take():
        with _derived(settings, names) as (context, _):
            Snapshots(settings.data / "snapshots").publish(context.backend, names)
        step.add()
    return Marts(settings)


BEHIND = ("spend_daily", "runs", "pools", "price_history")
"""What the lines of the bill behind a number of `spend_daily` are found by, in any scope."""


def published_lines(settings: Settings) -> Marts:
    """A snapshot for what reads the lines of the bill behind a number of `spend_daily`."""
    step = shared_worlds.step("published lines", settings)
    if not step.take():
        with _derived(settings, BEHIND) as (context, _):
            publication.write_queries(context)
            tables = [*BEHIND, "queries", *publication.tables_of_division(context.backend)]
            Snapshots(settings.data / "snapshots").publish(context.backend, tables)
        step.add()
    return Marts(settings)


@contextmanager
def _derived(settings: Settings, names: tuple[str, ...]) -> Iterator[tuple[BuildContext, int]]:
    with one_core(), open_warehouse(settings.warehouse_file) as backend:
        deliveries = RawZone(settings.data / "raw").deliveries()
        live = live_deliveries(deliveries)
        bills = cost_source.bills(live, settings)
        compiled = SqlCache(settings.data)
        context = BuildContext(settings, backend, compiled, deliveries, live, bills)
        yield context, build.derive(context, names)


def copied(marts: Marts, folder: Path, **config: object) -> Settings:
    """Other settings for a copy of what was delivered and reduced."""
    shutil.copytree(marts.settings.home, folder, dirs_exist_ok=True)
    told = marts.settings.model_dump(mode="json", exclude_unset=True)
    return validated_settings({**told, **config}, home=folder)

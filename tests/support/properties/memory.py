"""The marts over rows held in memory: the same SQL as a build's, without files around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract import schema
from models.engine import contract_tables, mart_runner, publication
from models.engine.context import BuildContext
from models.engine.inputs import before_the_reduction
from models.engine.sql import mart_sql

Row = Mapping[str, Any]


class Memory:
    """Derives every mart from charges, samples and prices; the SQL is compiled once."""

    def __init__(self, folder: Path, **config: object) -> None:
        self.settings: Settings = validated_settings({"as_of": "2025-12-31", **config}, home=folder)
        self._inputs = mart_sql.input_columns(self.settings)
        self.backend: Backend = ibis.duckdb.connect(threads=1)
        self.backend.con.execute("SET TimeZone = 'UTC'")
        self._context = BuildContext.reading(self.settings, self.backend)

    def derive(
        self, charges: Sequence[Row], progress: Sequence[Row] = (), prices: Sequence[Row] = ()
    ) -> None:
        """Replaces all that was derived before."""
        given = dict.fromkeys(schema.DELIVERED, ())
        given |= {"charges": charges, "progress": progress, "prices": prices}
        for name, rows in given.items():
            self._hold(name, rows)
        before_the_reduction.fill_all(self._context)
        contract_tables.fill_catalog(self.backend)
        for name in (
            "delivered_days",
            "paid_requests",
            "pull_notices",
            "feeds",
            "restated_totals",
            "closed_months",
        ):
            contract_tables.fill(self.backend, name, [])
        reduction = mart_sql.texts(self.settings, self._context.sql_cache)["spend_reduced"].text
        self.backend.con.execute(f"CREATE OR REPLACE TABLE spend_reduced AS {reduction}")
        held = frozenset({mart_runner.STORED_VIEW})  # a table already
        mart_runner.make_marts(self._context, already_made=held)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Rows of a query over the marts."""
        found = self.backend.con.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def row(self, sql: str) -> dict[str, Any]:
        """The one row of a query."""
        (only,) = self.rows(sql)
        return only

    def content(self) -> dict[str, tuple[int, int, int]]:
        """A mark of each mart's rows, whatever their order."""
        return {
            name: publication._content(self.backend, name) for name in publication.derived_tables()
        }

    def _hold(self, name: str, rows: Sequence[Row]) -> None:
        columns = ibis.schema(dict(self._inputs[name])).to_pyarrow()
        held = pa.Table.from_pylist(
            [{column: row.get(column) for column in columns.names} for row in rows], schema=columns
        )
        self.backend.con.register("given", held)
        self.backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM given')
        self.backend.con.unregister("given")

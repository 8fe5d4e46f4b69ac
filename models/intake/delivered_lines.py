"""Queries the lines of delivered Parquet files in DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any

import ibis
import ibis.expr.schema as sch
import ibis.expr.types as ir
from ibis.backends.duckdb import Backend

from models.engine.sql import rendering
from models.engine.sql.sql_cache import without_garbage_collection
from models.engine.warehouse import connection
from models.engine.warehouse.table_columns import AS_DELIVERED, in_known_types
from models.formats import line_faults

TABLE = "delivered"
_SQL: dict[tuple[str, str, str], str] = {}
"""SQL by question, format and columns."""
_COMPILING = Lock()
"""Keeps two files that arrive together from compiling the same SQL twice."""
_SCHEMAS: dict[str, sch.Schema] = {}
"""Schema by how DuckDB describes the columns."""


class DeliveredLines:
    """The lines of delivered Parquet files as one DuckDB table that can be queried.

    A backend holds one such table at a time. Schemas and SQL are remembered, because hundreds of
    files have the same columns and get the same queries.
    """

    def __init__(self, backend: Backend, paths: Iterable[Path], *, numbered: bool = False) -> None:
        self._con = backend.con
        files = ", ".join("'{}'".format(str(path).replace("'", "''")) for path in paths)
        read = in_known_types(
            self._con,
            f"read_parquet([{files}], {AS_DELIVERED}, {line_faults.ROW_NUMBER} = {numbered})",
        )
        self._con.execute(f"CREATE OR REPLACE TEMP VIEW {TABLE} AS {read}")
        self.described = str(self._con.execute(f"DESCRIBE {TABLE}").fetchall())
        if self.described not in _SCHEMAS:
            _SCHEMAS[self.described] = backend.table(TABLE).schema()
        self.schema = _SCHEMAS[self.described]

    def read_texts(self) -> None:
        """Reads every text value once, so that DuckDB reports bytes that are not UTF-8."""
        texts = (name for name, kind in self.schema.items() if kind.is_string())
        nulls = ", ".join(
            'count(*) FILTER ("{}" IS NULL)'.format(n.replace('"', '""')) for n in texts
        )
        if nulls:
            self._con.execute(f"SELECT {nulls} FROM {TABLE}")

    def answer(self, question: Callable[[ir.Table], ir.Table], about: str) -> list[dict[str, Any]]:
        """Runs an Ibis query over delivered rows and returns the result as dictionaries.

        `about` is the name of the format that the query is for.
        """
        key = (question.__qualname__, about, self.described)
        with _COMPILING, without_garbage_collection():
            if key not in _SQL:
                _SQL[key] = rendering.sql(question(ibis.table(self.schema, name=TABLE)))
        cursor = self._con.execute(connection.parsed(_SQL[key]))
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

"""Writes rows from Python to tables with the declared columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from ibis.backends.duckdb import Backend

from models.contract import catalogue, schema
from models.engine.warehouse.connection import parsed
from models.engine.warehouse.table_columns import duckdb_type

COLUMNS = {**schema.CONFIG, **schema.BESIDE, **schema.EXPLAINERS}


def fill(backend: Backend, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replaces a DuckDB table by rows from Python, with the columns that its schema declares.

    DuckDB gets one list per column, because Arrow would import pandas to look at Python values.
    """
    given = [[_plain(row.get(column)) for row in rows] for column in COLUMNS[name]]
    backend.con.execute(parsed(_replacement(name)), given)


@cache
def _replacement(name: str) -> str:
    """Returns the SQL that replaces a table from lists of values, one parameter per column."""
    columns = COLUMNS[name].items()
    selected = ", ".join(f'{_unfolded(kind)} AS "{column}"' for column, kind in columns)
    return f'CREATE OR REPLACE TABLE "{name}" AS SELECT {selected}'


def _unfolded(kind: str) -> str:
    """Returns the SQL that converts a list parameter to a typed column."""
    made = duckdb_type(kind)
    if kind.startswith("map"):
        return f"unnest(?::VARCHAR[])::JSON::{made}"
    return f"unnest(?::{made}[])"


def _plain(value: object) -> object:
    """Converts decimals and maps to text, in which DuckDB takes them as parameters.

    Decimals go as text because a list of decimals with different scales has no single type.
    """
    if isinstance(value, dict):
        return json.dumps(value, default=str)
    return str(value) if isinstance(value, Decimal) else value


def fill_catalog(backend: Backend) -> Sequence[Mapping[str, Any]]:
    """Writes the accelerator instance types to the table `catalog`, and returns its rows."""
    rows = [entry._asdict() for entry in catalogue.accelerators()]
    fill(backend, "catalog", rows)
    return rows

"""Tables of the contract that are filled from Python rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import ibis
import ibis.expr.datatypes as dt
from ibis.backends.duckdb import Backend
from ibis.backends.sql.datatypes import DuckDBType

from models.contract import catalogue, schema

COLUMNS = {**schema.CONFIG, **schema.BESIDE, **schema.EXPLAINERS}


def fill(backend: Backend, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replaces table `name` of the contract by `rows` (columns by name).

    By lists, one a column: Arrow would import pandas to look at any Python value.
    """
    columns = ibis.schema(dict(COLUMNS[name]))
    selected = ", ".join(f'{_unfolded(kind)} AS "{column}"' for column, kind in columns.items())
    given = [[_plain(row.get(column)) for row in rows] for column in columns]
    backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT {selected}', given)


def _unfolded(kind: dt.DataType) -> str:
    """A column from the list that is its parameter."""
    if kind.is_map():
        return f"unnest(?::VARCHAR[])::JSON::{DuckDBType.to_string(kind)}"
    return f"unnest(?::{DuckDBType.to_string(kind)}[])"


def _plain(value: object) -> object:
    """Decimals and maps as their exact text; a list of decimals of many scales has no one type."""
    if isinstance(value, dict):
        return json.dumps(value, default=str)
    return str(value) if isinstance(value, Decimal) else value


def fill_catalog(backend: Backend) -> Sequence[Mapping[str, Any]]:
    """The accelerators that are known; returns them."""
    rows = [entry._asdict() for entry in catalogue.accelerators()]
    fill(backend, "catalog", rows)
    return rows

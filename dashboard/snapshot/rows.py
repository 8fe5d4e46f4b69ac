"""Runs SQL on what the reader may see of the published snapshot; returns plain rows.

Each request reads the snapshot that is current at that moment, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from typing import Any

from dashboard.address.view import View
from dashboard.snapshot.context import data_context

Row = dict[str, Any]


def range_of(view: View) -> Row:
    """Returns a page's first and last day as the SQL parameters `first` and `last`."""
    return {"first": view.first, "last": view.last}


def read_row(sql: str, **parameters: object) -> Row | None:
    """Runs an SQL statement on the published snapshot; returns its first row, or None."""
    return next(iter(read_rows(sql, **parameters)), None)


def read_rows(sql: str, **parameters: object) -> list[Row]:
    """Runs an SQL statement on the published snapshot; returns all rows as dictionaries."""
    return data_context().rows(sql, parameters)


def read_columns(sql: str, **parameters: object) -> list[str]:
    """Returns the names of the columns of an SQL query on the published snapshot.

    The query is described, not run, so it may also be one that returns no row.
    """
    return [str(row["column_name"]) for row in read_rows(f"DESCRIBE {sql}", **parameters)]

"""The only door to the published snapshot: a question in, plain rows out.

Each request reads the snapshot that is current by then, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from typing import Any

from dashboard.address.view import View
from dashboard.snapshot.context import data_context

Row = dict[str, Any]


def range_of(view: View) -> Row:
    return {"first": view.first, "last": view.last}


def read_row(sql: str, **parameters: object) -> Row | None:
    return next(iter(read_rows(sql, **parameters)), None)


def read_rows(sql: str, **parameters: object) -> list[Row]:
    return data_context().rows(sql, parameters)

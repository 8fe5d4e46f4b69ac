"""Converts the filters in a URL to SQL conditions on `runs`, with named parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.address.view import View
from dashboard.wording.dimensions import Dimension, Dimensions

Row = dict[str, Any]
FACETS = 200
"""How many values of one dimension can be chosen from, the most frequent ones."""


def run_conditions(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds the SQL condition on `runs`, and its parameters, for a page's days and filters."""
    parts, parameters = ["TRUE"], dict[str, Any]()
    if view.start or view.end:
        parts.append("CAST(started_at AS DATE) BETWEEN $first AND $last")
        parameters |= {"first": view.first, "last": view.last}
    if view.named:
        parts.append("contains(lower(run), lower($named))")
        parameters["named"] = view.named
    for number, (key, values) in enumerate(filter_values(view.where, dims).items()):
        parts.append(f"list_contains($where_{number}::VARCHAR[], coalesce({quoted(key)}, ''))")
        parameters[f"where_{number}"] = values
    return " AND ".join(parts), parameters


def facets(dims: Sequence[Dimension]) -> str:
    """Builds the SQL that counts runs by dimension and value, at most 200 values of each dimension.

    The most frequent ones. Dimensions in which the charges of one run may differ are left out.
    """
    each = [
        f"(SELECT {number} AS place, '{_text(one.key)}' AS key, {quoted(one.key)} AS value, "
        f"count(*) AS runs FROM runs GROUP BY ALL ORDER BY runs DESC, value LIMIT {FACETS})"
        for number, one in enumerate(dims)
        if not one.charged
    ]
    return f"SELECT * FROM ({' UNION ALL '.join(each)}) ORDER BY place, value"


def _text(value: str) -> str:
    return value.replace("'", "''")


def filter_values(where: Sequence[str], dims: Mapping[str, Dimension]) -> dict[str, list[str]]:
    """Maps dimension to values of a URL's filters `dimension=value`; drops what is no filter.

    The values of one dimension are alternatives. No filter is an unknown dimension, nor one in
    which the charges of one run may differ.
    """
    found: dict[str, list[str]] = {}
    for text in where:
        key, equals, value = text.partition("=")
        if equals and key in dims and not dims[key].charged:
            found.setdefault(key, []).append(value)
    return found


def quoted(column: str) -> str:
    """Returns a column name quoted for SQL."""
    return '"' + column.replace('"', '""') + '"'

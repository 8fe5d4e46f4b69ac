"""Statements about the runs that a reader's filters leave: text and its named parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.address.view import View
from dashboard.wording.dimensions import Dimension

Row = dict[str, Any]
Known = Mapping[str, Dimension]
FACETS = 200
"""The values of one dimension that can be chosen from, the most frequent ones."""


def run_conditions(view: View, known: Known) -> tuple[str, Row]:
    """The runs within the range, of that name, that meet every condition."""
    parts, parameters = ["TRUE"], dict[str, Any]()
    if view.start or view.end:
        parts.append("CAST(started_at AS DATE) BETWEEN $first AND $last")
        parameters |= {"first": view.first, "last": view.last}
    if view.named:
        parts.append("contains(lower(run), lower($named))")
        parameters["named"] = view.named
    for number, (key, values) in enumerate(filter_values(view.where, known).items()):
        parts.append(f"list_contains($where_{number}::VARCHAR[], coalesce({quoted(key)}, ''))")
        parameters[f"where_{number}"] = values
    return " AND ".join(parts), parameters


def facets(known: Sequence[Dimension]) -> str:
    """The values of each dimension, the most frequent ones, with how many runs have them."""
    each = [
        f"(SELECT {number} AS place, '{_text(one.key)}' AS key, {quoted(one.key)} AS value, "
        f"count(*) AS runs FROM runs GROUP BY ALL ORDER BY runs DESC, value LIMIT {FACETS})"
        for number, one in enumerate(known)
        if not one.charged
    ]
    return f"SELECT * FROM ({' UNION ALL '.join(each)}) ORDER BY place, value"


def _text(value: str) -> str:
    return value.replace("'", "''")


def filter_values(where: Sequence[str], known: Mapping[str, Dimension]) -> dict[str, list[str]]:
    """Dimension → the values wanted; several of one dimension are alternatives."""
    found: dict[str, list[str]] = {}
    for text in where:
        key, equals, value = text.partition("=")
        if equals and key in known and not known[key].charged:
            found.setdefault(key, []).append(value)
    return found


def quoted(column: str) -> str:
    """A column's name in SQL; a tag's key may hold anything."""
    return '"' + column.replace('"', '""') + '"'

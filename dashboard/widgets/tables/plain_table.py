"""Builds a plain table, which scrolls by itself where it is too wide."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria
from dashboard.widgets.serialisation import element
from dashboard.wording.format import cents, column_title
from dashboard.wording.unknown import MISSING

WORDY = 36
"""Text of more characters breaks on a phone; shorter text stays on its line."""
Cell = Component | Decimal | str | None
"""Content of a cell: a `Decimal` is money to the cent, None is unknown."""


def listing(
    label: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], words: int = 1
) -> Component:
    """Builds an HTML table whose first `words` columns are text and the others numbers."""
    titles = [
        html.Th(column_title(title), scope="col", className=_kind(place, words))
        for place, title in enumerate(head)
    ]
    body = [
        element("Tr", [_cell(cell, place, words) for place, cell in enumerate(row)]) for row in rows
    ]
    parts = [html.Thead(html.Tr(titles)), html.Tbody(body)]
    return html.Div(
        html.Table(parts, className="listing"),
        className="wide",
        tabIndex=0,
        role="group",
        **aria(label=label),
    )


def _cell(cell: Cell, place: int, words: int) -> Any:  # noqa: ANN401 - a node of HTML
    shown = cents(cell) if isinstance(cell, Decimal) else (MISSING if cell is None else cell)
    if place == 0:
        return element("Th", element("Bdi", shown), scope="row")
    kind = _kind(place, words)
    wordy = isinstance(shown, str) and len(shown) > WORDY and not kind
    return element("Td", shown, className="wordy" if wordy else kind)


def _kind(place: int, words: int) -> str:
    return "number" if place >= words else ""

"""Builds the section with the SQL behind a page's numbers, fetched only when opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.wording.format import day


def sql_section(marts: Sequence[str], pulled: dict[str, Any] | None) -> Component:
    """Builds the section with the SQL behind a page's numbers, a collapsed block per mart."""
    when = pulled["last_success"] if pulled else None
    fresh = f" Data last pulled on {day(when.date())}, {when:%H:%M} UTC." if when else ""
    note = "The statements that the build ran, in DuckDB's dialect." + fresh
    return html.Details(
        [
            html.Summary(html.H2("The SQL behind these numbers")),
            html.P(note, className="note"),
            *[_query(mart) for mart in marts],
        ],
        className="sql-section",
        **data(key="sql"),
    )


def _query(mart: str) -> Component:
    """Builds the block for the SQL of one mart; the browser fetches it when it is opened."""
    return html.Details(
        [
            html.Summary(html.Code(mart)),
            html.Pre(id=f"sql-{mart}", tabIndex=0, **data(source=f"/sql/{mart}")),
        ],
        className="sql",
        **data(key=f"sql {mart}"),
    )

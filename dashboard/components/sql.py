"""The SQL behind a page's numbers, closed until asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.components.attributes import data
from dashboard.format import day


def sql_section(queries: Sequence[dict[str, Any]], pulled: dict[str, Any] | None) -> Component:
    """One closed block per mart; the links of the explanations lead into them."""
    when = pulled["last_success"] if pulled else None
    fresh = f" Data last pulled on {day(when.date())}, {when:%H:%M} UTC." if when else ""
    note = "The same statements run in any SQL client against the warehouse." + fresh
    return html.Details(
        [
            html.Summary(html.H2("The SQL behind these numbers")),
            html.P(note, className="note"),
            *[_query(row) for row in queries],
        ],
        className="sql-section",
        **data(key="sql"),
    )


def _query(row: dict[str, Any]) -> Component:
    return html.Details(
        [
            html.Summary(html.Code(row["mart"])),
            html.Pre(html.Code(row["sql"]), id=f"sql-{row['mart']}", tabIndex=0),
        ],
        className="sql",
        **data(key=f"sql {row['mart']}"),
    )

"""Builds the buttons that copy a page's link and download its rows as CSV."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data


def download(path: str) -> Component:
    """Builds the buttons to copy a page's link and to download its rows as CSV."""
    return html.Div(
        [
            html.Button("Copy link", className="action", **data(action="copy-link")),
            html.A("CSV", href=path, className="action", download="", **data(take="address")),
        ],
        className="actions",
    )

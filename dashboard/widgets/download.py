"""The rows of a page as a file: those that its address asks for, all of them."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data


def download(path: str) -> Component:
    """A button that copies the address, and a link that takes the whole of it along."""
    return html.Div(
        [
            html.Button("Copy link", className="action", **data(action="copy-link")),
            html.A("CSV", href=path, className="action", download="", **data(take="address")),
        ],
        className="actions",
    )

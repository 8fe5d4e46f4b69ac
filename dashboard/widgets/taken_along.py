"""Builds the buttons that copy a page's answer or save a chart; `assets/pictures.js` acts."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria, data

KINDS = ("png", "svg")


def copy_sentence() -> Component:
    """Builds the button that copies a headline as a sentence, with its date and a link."""
    return html.Button("Copy as sentence", className="take", **data(action="copy-sentence"))


def pictures(words: str) -> Component:
    """Builds the buttons that save a chart as a picture; `words` describe the chart."""
    return html.Div(
        [
            html.Button(
                kind.upper(),
                className="take",
                **data(picture=kind),
                **aria(label=f"Download as {kind.upper()}: {words}"),
            )
            for kind in KINDS
        ],
        className="pictures",
    )

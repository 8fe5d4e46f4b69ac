"""Builds a titled section of a page, and a chart with its description."""

from __future__ import annotations

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.charts.frame import CONFIG
from dashboard.widgets.attributes import aria
from dashboard.widgets.explain import explain
from dashboard.widgets.taken_along import pictures
from dashboard.wording.explanations.explanation import Explanation


def card(
    title: str, body: Component, of: Explanation, actions: Component | None = None
) -> Component:
    """Builds a section of a page with heading, explanation, controls and content."""
    head = html.Div(
        [html.Div([html.H2(title), explain(of)], className="card-title"), actions],
        className="card-head",
    )
    return html.Section([head, body], className="card", **aria(label=title))


def plain_card(title: str, body: Component, actions: Component | None = None) -> Component:
    """Builds a section of a page without an explanation."""
    head = html.Div([html.H2(title), actions], className="card-head")
    return html.Section([head, body], className="card", **aria(label=title))


def chart(figure: dict[str, Any], words: str, note: Component | str | None = None) -> Component:
    """Wraps a chart with a description for readers who cannot see it, caption and downloads."""
    height = f"{figure['layout']['height']}px"
    graph = dcc.Graph(figure=figure, config=CONFIG, style={"height": height})
    # its place is kept: the graph's own script comes later, and what is below must not jump
    place = html.Div(graph, role="img", style={"minHeight": height}, **aria(label=words))
    return with_downloads(place, words, note)


def with_downloads(drawn: Component, words: str, note: Component | str | None = None) -> Component:
    """Wraps a chart with its caption below, and the buttons that save it as a picture."""
    caption = html.Figcaption(note) if note else None
    foot = html.Div([caption, pictures(words)], className="chart-foot")
    return html.Figure([drawn, foot], className="chart")

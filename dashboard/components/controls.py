"""The filters of a page. Their values live in the address (see `dashboard.view`)."""

from __future__ import annotations

from typing import Literal, cast

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.components.attributes import aria
from dashboard.view import View

Id = dict[str, str]

DATE = cast(Literal["text"], "date")
"""The browser's own date field: `dcc.Input` hands any type on, but declares only some."""


def date_range(start: Id, end: Id, view: View) -> Component:
    """From and to; empty means unbounded."""
    return html.Div(
        [_date(start, "From", view.start), _date(end, "To", view.end)],
        className="date-range",
        role="group",
        **aria(label="Date range"),
    )


def choice(control: Id, legend: str, labels: dict[str, str], value: str) -> Component:
    """One of a few, side by side."""
    options = [{"label": label, "value": name} for name, label in labels.items()]
    return html.Fieldset(
        [
            html.Legend(legend),
            dcc.RadioItems(id=control, options=options, value=value, inline=True),
        ],
        className="choice",
    )


def _date(control: Id, label: str, value: object) -> Component:
    return html.Label(
        [
            html.Span(label),
            dcc.Input(id=control, type=DATE, value=str(value) if value else "", debounce=0.4),
        ]
    )

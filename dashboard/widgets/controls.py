"""Builds the controls of pages, whose values are in the URL (`dashboard.address.view`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.address.view import View

Id = dict[str, str]


def date_range(control: Id, view: View) -> Component:
    """Builds the date range picker of a page; an empty end is unbounded."""
    return html.Div(
        dcc.DatePickerRange(
            id=control,
            start_date=_text(view.start),
            end_date=_text(view.end),
            start_date_placeholder_text="First day",
            end_date_placeholder_text="Last day",
            display_format="D MMM YYYY",
            first_day_of_week=1,
            minimum_nights=0,
            clearable=True,
            updatemode="singledate",
        ),
        className="date-range",
    )


def choice(control: Id, legend: str, labels: dict[str, str], value: str) -> Component:
    """Builds radio buttons to choose one of a few values."""
    options = [{"label": label, "value": name} for name, label in labels.items()]
    return html.Fieldset(
        [
            html.Legend(legend),
            dcc.RadioItems(id=control, options=options, value=value, inline=True),
        ],
        className="choice",
    )


def one_of(control: Id, label: str, labels: Mapping[str, str], value: str) -> Component:
    """Builds a drop-down list to choose exactly one value from.

    A value in the URL is among the options even if it is unknown; otherwise the browser would clear
    it, and with it what the page says about it.
    """
    shown = labels if value in labels or not value else {value: value, **labels}
    options = [{"label": text, "value": name} for name, text in shown.items()]
    pick = dcc.Dropdown(id=control, options=options, value=value, clearable=False, maxHeight=320)
    return _labelled(label, pick)


def any_of(
    control: Id, label: str, options: Sequence[Mapping[str, str]], values: Sequence[str], none: str
) -> Component:
    """Builds a drop-down list to choose any number of values from.

    `none` is the text shown while nothing is chosen. Values in the URL are among the options even
    if nothing has them.
    """
    known = {option["value"] for option in options}
    strange = [{"label": value, "value": value} for value in values if value not in known]
    pick = dcc.Dropdown(
        id=control,
        options=[*options, *strange],
        value=list(values),
        multi=True,
        placeholder=none,
        maxHeight=320,
    )
    return _labelled(label, pick)


def search(control: Id, label: str, value: str) -> Component:
    """Builds a search box for part of a name, which waits until the reader stops typing."""
    box = dcc.Input(id=control, type="search", value=value, debounce=0.4)
    return html.Label([html.Span(label), box], className="control")


def _labelled(label: str, control: Component) -> Component:
    """Wraps a control of a page in a group with a label, as screen readers expect."""
    return html.Div([html.Span(label), control], className="control", role="group", title=label)


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None

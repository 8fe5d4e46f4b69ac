"""The filters of a page. Their values live in the address (see `dashboard.view`)."""

from __future__ import annotations

from datetime import date

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.view import View

Id = dict[str, str]


def date_range(control: Id, view: View) -> Component:
    """From and to; empty means unbounded."""
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
    """One of a few, side by side."""
    options = [{"label": label, "value": name} for name, label in labels.items()]
    return html.Fieldset(
        [
            html.Legend(legend),
            dcc.RadioItems(id=control, options=options, value=value, inline=True),
        ],
        className="choice",
    )


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None

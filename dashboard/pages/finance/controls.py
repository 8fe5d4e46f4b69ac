"""Builds the controls of the Finance page: month, version, comparison, and the close."""

from __future__ import annotations

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.finance import month_end
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.attributes import data
from dashboard.widgets.card import card
from dashboard.widgets.controls import one_of
from dashboard.wording.explanations import finance as explained
from dashboard.wording.format import month_name
from models.access.acting import actor


@once_published()
def draw_controls(view: View) -> list[Component]:
    """Builds the Finance page's choices of month, version and version to compare with."""
    month = view.month or default_month()
    return [
        html.Span(hidden=True, **data(usual="month", value=default_month())),
        _pick(ids.FINANCE_MONTH, "Month", month_options(), month),
        _pick(ids.FINANCE_VERSION, "Version", version_options(month), view.version),
        _pick(ids.FINANCE_AGAINST, "Compare with", version_options(month, "Nothing"), view.against),
    ]


@once_published()
def draw_close(view: View) -> Component:
    """Builds the card to close a month: two texts to enter, its button, and who is acting.

    Where the month cannot be closed, the card says why in their place.
    """
    month = view.month or default_month()
    why_not = obstacle_line(month)
    fields = [
        text_box(ids.FINANCE_REMAINDER, "Cause of a remainder, if there is one", 36),
        html.Div(
            text_box(ids.FINANCE_REASON, "Why it is opened again", 36),
            id=ids.FINANCE_AGAIN,
            hidden=not month_end.versions(month),
        ),
        html.Button(close_label(month), id=ids.FINANCE_CLOSE, className="action"),
        html.Span(f"as {actor().who}", className="note"),
    ]
    form = html.Div(fields, className="actions")
    body = [
        html.P(why_not, id=ids.FINANCE_OBSTACLES),
        html.Div(form, id=ids.FINANCE_FORM, hidden=bool(why_not)),
        html.Div(id=ids.FINANCE_MESSAGE, role="status"),
    ]
    return card("Close", html.Div(body), explained.CLOSE)


def obstacle_line(month: str) -> str:
    """Says in a sentence why a month cannot be closed; empty where it may be tried."""
    found = month_end.obstacles(month)
    name = month_name(month) if month else "No month"
    return f"{name} cannot be closed: {'; '.join(found)}." if found else ""


def text_box(control: str, label: str, size: int) -> Component:
    """Builds a labelled text input of the Finance page."""
    box = dcc.Input(id=control, type="text", size=f"{size}")
    return html.Label([html.Span(label), box], className="control")


def close_label(month: str) -> str:
    """Returns the label of the button: to close a month, or open it again as the next version."""
    known = month_end.versions(month)
    if not known:
        return f"Close {month_name(month)}" if month else "Close"
    return f"Open {month_name(month)} again, as version {known[-1].version + 1}"


def _pick(
    control: dict[str, str], label: str, options: list[dict[str, str]], value: str
) -> Component:
    return one_of(control, label, {o["value"]: o["label"] for o in options}, value)


def month_options() -> list[dict[str, str]]:
    """Lists the months as choices of a control, each labelled open or with its newest version."""
    closed = {close.month: close.version for close in month_end.closes()}
    return [
        {
            "value": month,
            "label": f"{month_name(month)} (version {closed[month]})"
            if month in closed
            else f"{month_name(month)} (open)",
        }
        for month in month_end.months()
    ]


def version_options(month: str, none: str = "The newest") -> list[dict[str, str]]:
    """Lists the closed versions of a month as choices, with an empty choice first."""
    known = [close.version for close in month_end.versions(month)]
    parts = [{"value": f"{number}", "label": f"Version {number}"} for number in known]
    return [{"value": "", "label": none}, *parts]


def default_month() -> str:
    """Returns the month shown where the URL names none: the newest ended one, else the newest."""
    return month_end.default_month(month_end.months())

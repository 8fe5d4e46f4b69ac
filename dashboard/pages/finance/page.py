"""Renders the Finance page: what a month saved, whether it ties to the bill, and closing it."""

from __future__ import annotations

from typing import Annotated, Any

from dash import Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from pydantic import AfterValidator

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.finance import month_end
from dashboard.pages.finance.controls import (
    close_label,
    default_month,
    draw_close,
    draw_controls,
    month_options,
    obstacle_line,
    version_options,
)
from dashboard.pages.finance.sections import draw, draw_sql, may_act
from dashboard.widgets.indicators import notice
from dashboard.widgets.serialisation import callback
from dashboard.wording.format import month_name
from models.access.acting import actor
from models.contract.errors import BreakevenError


def _month(text: str | None) -> str | None:
    if View.parse({"month": text}).month != (text or ""):
        raise ValueError("not a month")
    return text


Month = Annotated[str | None, AfterValidator(_month)]
"""What the control of months sends."""
FILTERS = (
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_VERSION, "value"),
    Input(ids.FINANCE_AGAINST, "value"),
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Finance page for the URL's month, else the newest ended one."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.FINANCE_NEW_SNAPSHOT),
            dcc.Store(id=ids.FINANCE_CLOSED),
            html.Div(draw_controls(view), className="toolbar controls"),
            html.Div(draw(view), id=ids.FINANCE_BODY, className="page-part"),
            html.Div(draw_close(view), className="page-part", hidden=not may_act()),
            html.Div(draw_sql(), id=ids.FINANCE_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.FINANCE_BODY, "children"),
    *FILTERS,
    Input(ids.FINANCE_NEW_SNAPSHOT, "data"),
    Input(ids.FINANCE_CLOSED, "data"),
    prevent_initial_call=True,
)
def redraw(month: Month, version: str, against: str, _new: Any, _closed: Any) -> Any:  # noqa: ANN401
    """Redraws a month's statement on a new month, version, comparison, snapshot or close."""
    return draw(View.parse({"month": month, "version": version, "against": against}))


@callback(
    Output(ids.FINANCE_MONTH, "options"),
    Output(ids.FINANCE_VERSION, "options"),
    Output(ids.FINANCE_VERSION, "value"),
    Output(ids.FINANCE_AGAINST, "options"),
    Output(ids.FINANCE_AGAINST, "value"),
    Output(ids.FINANCE_CLOSE, "children"),
    Output(ids.FINANCE_AGAIN, "hidden"),
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_CLOSED, "data"),
    State(ids.FINANCE_VERSION, "value"),
    prevent_initial_call=True,
)
def choose(month: Month, _closed: Any, version: str) -> tuple[Any, ...]:  # noqa: ANN401
    """Updates the choices of month and version and the close form on a new month or close."""
    month = month or default_month()
    known, others = version_options(month), version_options(month, "Nothing")
    chosen = version if version in {option["value"] for option in known} else ""
    return (
        month_options(),
        known,
        chosen,
        others,
        "",
        close_label(month),
        not month_end.versions(month),
    )


@callback(
    Output(ids.FINANCE_OBSTACLES, "children"),
    Output(ids.FINANCE_FORM, "hidden"),
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_NEW_SNAPSHOT, "data"),
    Input(ids.FINANCE_CLOSED, "data"),
    prevent_initial_call=True,
)
def offer_close(month: Month, _new: Any, _closed: Any) -> tuple[str, bool]:  # noqa: ANN401
    """Shows the form to close the chosen month, or the reasons why it cannot be closed.

    Runs when another month is chosen, a snapshot is published or a month is closed.
    """
    line = obstacle_line(month or default_month())
    return line, bool(line)


@callback(
    Output(ids.FINANCE_MESSAGE, "children"),
    Output(ids.FINANCE_CLOSED, "data"),
    Output(ids.FINANCE_REMAINDER, "value"),
    Output(ids.FINANCE_REASON, "value"),
    Input(ids.FINANCE_CLOSE, "n_clicks"),
    State(ids.FINANCE_MONTH, "value"),
    State(ids.FINANCE_REMAINDER, "value"),
    State(ids.FINANCE_REASON, "value"),
    running=[(Output(ids.FINANCE_CLOSE, "disabled"), True, False)],
    prevent_initial_call=True,
)
def close(_clicks: int, month: Month, remainder: str | None, reason: str | None) -> tuple[Any, ...]:
    """Closes the month in the reader's name and says its version, or what prevents it."""
    words = ((text or "").strip() for text in (remainder, reason))
    try:
        made = month_end.close(month or default_month(), actor().who, *words)
    except BreakevenError as error:
        refused = [notice("Not closed", line, "bad") for line in error.lines]
        return refused, no_update, no_update, no_update
    sentence_text = (
        f"{month_name(made.month)} is version {made.version}, sha256 {made.statement.sha256}."
    )
    return notice("Closed", sentence_text, "quiet"), f"{made.month} {made.version}", "", ""

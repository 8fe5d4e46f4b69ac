"""Draws the curve of the whole move: net savings, or return on investment by day or month."""

from __future__ import annotations

from dash import Input, Output, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.snapshot import portfolio, returns
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.controls import choice, date_range
from dashboard.widgets.headline.net_savings import net_savings
from dashboard.widgets.headline.returns import SHOWN, return_by_day, return_by_month
from dashboard.widgets.serialisation import callback
from dashboard.wording.explanations import savings
from models.contract.schema import PORTFOLIO


def curve_card(view: View) -> Component:
    """Builds the card with the whole move's curve, and controls for its measure and dates."""
    shown = choice(ids.OVERVIEW_SHOWN, "Show", SHOWN, view.curve)
    controls = html.Div([shown, date_range(ids.OVERVIEW_DAYS, view)], className="toolbar")
    body = html.Div(draw_curve(view), id=ids.OVERVIEW_CURVE)
    return card("Savings and return so far", body, savings.CURVE, controls)


@callback(
    Output(ids.OVERVIEW_CURVE, "children"),
    Input(ids.OVERVIEW_DAYS, "start_date"),
    Input(ids.OVERVIEW_DAYS, "end_date"),
    Input(ids.OVERVIEW_SHOWN, "value"),
    Input(ids.OVERVIEW_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def redraw_curve(
    start: str | None, end: str | None, shown: str, _snapshot: str | None
) -> Component | None:
    """Redraws the Overview's curve when its range, what it shows or the snapshot changes."""
    return draw_curve(View.parse({"from": start, "to": end, "curve": shown}))


@once_published()
def draw_curve(view: View) -> Component:
    """Draws how far the whole move has paid for itself: net savings by day, or the return on cost.

    Renders why there is no curve where its figures are unknown.
    """
    if view.curve != "net":
        return _returns(view)
    return net_savings(
        portfolio.standing() or {},
        portfolio.curve(view),
        portfolio.investments(view),
        portfolio.forecast(view),
    )


def _returns(view: View) -> Component:
    standing = portfolio.standing() or {}
    if view.curve == "return":
        ends = portfolio.returns_by_month([], view)
        return return_by_day(standing, portfolio.returns_by_day(view), ends)
    moves = returns.largest_moves()
    ends = portfolio.returns_by_month(moves, view)
    return return_by_month(standing, ends, [PORTFOLIO, *moves])

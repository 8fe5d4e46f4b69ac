"""Draws the curve of a workload's move: net savings, or return by day or month."""

from __future__ import annotations

from dash import Input, Output, State, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.snapshot import break_even, returns
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.controls import choice
from dashboard.widgets.headline.net_savings import net_savings
from dashboard.widgets.headline.returns import SHOWN, return_by_day, return_by_month
from dashboard.widgets.serialisation import callback
from dashboard.wording.explanations import savings


def curve_card(workload: str, view: View) -> Component:
    """Builds the card with a workload's curve, and the control for its measure."""
    body = html.Div(draw_curve(workload, view), id=ids.WORKLOAD_CURVE)
    shown = choice(ids.WORKLOAD_SHOWN, "Show", SHOWN, view.curve)
    return card("Savings and return so far", body, savings.CURVE, shown)


@callback(
    Output(ids.WORKLOAD_CURVE, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_SHOWN, "value"),
    Input(ids.WORKLOAD_NEW_SNAPSHOT, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw_curve(
    start: str | None, end: str | None, shown: str, _snapshot: str | None, workload: str
) -> Component | None:
    """Redraws a workload's curve when its range, what it shows or the snapshot changes."""
    return draw_curve(workload, View.parse({"from": start, "to": end, "curve": shown}))


@once_published()
def draw_curve(workload: str, view: View) -> Component:
    """Draws a workload's net savings or its return, or renders why there are none."""
    if view.curve != "net":
        return _returns(workload, view)
    return net_savings(
        break_even.standing(workload) or {},
        break_even.curve(workload, view),
        break_even.investments(workload, view),
        break_even.forecast(workload, view),
    )


def _returns(workload: str, view: View) -> Component:
    standing = break_even.standing(workload) or {}
    ends = returns.month_ends([workload], view)
    if view.curve == "return":
        return return_by_day(standing, returns.by_day(workload, view), ends)
    return return_by_month(standing, ends, [workload])

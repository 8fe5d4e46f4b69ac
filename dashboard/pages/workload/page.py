"""Renders a workload's page: whether its move has paid for itself, and where money goes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from dash import Input, Output, State, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.workload.curve import curve_card
from dashboard.pages.workload.sections import (
    draw_baseline,
    draw_dollars,
    draw_epoch_cost,
    draw_forward,
    draw_headline,
    draw_loss,
    draw_runs,
    draw_sql,
    epoch_card,
    loss_card,
)
from dashboard.snapshot import break_even, published
from dashboard.widgets.controls import date_range
from dashboard.widgets.page_states import not_found
from dashboard.widgets.serialisation import callback
from models.config.refusals.unknown_keys import known_names
from models.contract.errors import StorageError


def exists(workload: str) -> bool:
    """Returns whether the reader's snapshot has this workload; True without a snapshot."""
    with suppress(StorageError):
        return not published.snapshot() or workload in break_even.statuses()
    return True


def layout(name: str = "", **query: str) -> Component:
    """Builds the Dash layout of a workload's page; for an unknown name, of one that says so."""
    workload, view = unquote(name), View.parse(query)
    if not exists(workload):
        return not_found(
            f"No workload is called {workload}",
            "No charge or configuration of the current snapshot names it. "
            "It may be spelled differently in the tags "
            f"({known_names(workload, break_even.statuses())}).",
        )
    return html.Div(
        [
            dcc.Store(id=ids.WORKLOAD_NEW_SNAPSHOT),
            dcc.Store(id=ids.WORKLOAD_NAME, data=workload),
            html.Div([_crumbs(workload), date_range(ids.WORKLOAD_DAYS, view)], className="toolbar"),
            html.Div(draw_headline(workload), id=ids.WORKLOAD_HEADLINE),
            html.Div([curve_card(workload, view), epoch_card(workload, view)], className="pair"),
            html.Div(draw_forward(workload), id=ids.WORKLOAD_FORWARD),
            loss_card(workload, view),
            html.Div(draw_dollars(workload, view), id=ids.WORKLOAD_DOLLARS),
            html.Div(draw_runs(workload, view), id=ids.WORKLOAD_RUNS),
            html.Div(draw_baseline(workload), id=ids.WORKLOAD_BASELINE),
            html.Div(draw_sql(), id=ids.WORKLOAD_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.WORKLOAD_HEADLINE, "children"),
    Output(ids.WORKLOAD_FORWARD, "children"),
    Output(ids.WORKLOAD_BASELINE, "children"),
    Output(ids.WORKLOAD_SQL, "children"),
    Input(ids.WORKLOAD_NEW_SNAPSHOT, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None, workload: str) -> tuple[Any, ...]:
    """Redraws a workload's headline, outlook, baseline and SQL when a snapshot is published."""
    return draw_headline(workload), draw_forward(workload), draw_baseline(workload), draw_sql()


@callback(
    Output(ids.WORKLOAD_DOLLARS, "children"),
    Output(ids.WORKLOAD_RUNS, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_NEW_SNAPSHOT, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw(
    start: str | None, end: str | None, _snapshot: str | None, workload: str
) -> tuple[Any, ...]:
    """Redraws a workload's table of dollars and grid of runs when the range or snapshot changes."""
    view = View.parse({"from": start, "to": end})
    return draw_dollars(workload, view), draw_runs(workload, view)


@callback(
    Output(ids.WORKLOAD_EPOCH_COST, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_PERIOD, "value"),
    Input(ids.WORKLOAD_NEW_SNAPSHOT, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw_epoch_cost(
    start: str | None, end: str | None, period: str, _snapshot: str | None, workload: str
) -> Component | None:
    """Redraws the chart of a workload's cost per unit when period, range or snapshot changes."""
    return draw_epoch_cost(workload, View.parse({"from": start, "to": end, "period": period}))


@callback(
    Output(ids.WORKLOAD_LOSS, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_AXIS, "value"),
    Input(ids.WORKLOAD_NEW_SNAPSHOT, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw_loss(
    start: str | None, end: str | None, axis: str, _snapshot: str | None, workload: str
) -> Component | None:
    """Redraws the chart of training losses when axis, date range or snapshot changes."""
    return draw_loss(workload, View.parse({"from": start, "to": end, "axis": axis}))


def _crumbs(workload: str) -> Component:
    return html.Nav([dcc.Link("Overview", href="/"), html.Span(workload)], className="crumbs")

"""Renders the Clusters page: who occupies machines that jobs share, and how much is idle."""

from __future__ import annotations

from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.clusters.sections import (
    draw_headline,
    draw_holders,
    draw_jobs,
    draw_months,
    draw_sql,
    draw_use,
    draw_waits,
    pool_names,
)
from dashboard.widgets.attributes import data
from dashboard.widgets.controls import date_range, one_of
from dashboard.widgets.serialisation import callback

DAYS = (
    Input(ids.CLUSTERS_DAYS, "start_date"),
    Input(ids.CLUSTERS_DAYS, "end_date"),
    Input(ids.CLUSTERS_NEW_SNAPSHOT, "data"),
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Clusters page, all parts drawn, from the address's query."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.CLUSTERS_NEW_SNAPSHOT),
            html.Div(draw_controls(view), className="toolbar controls"),
            html.Div(draw_headline(view), id=ids.CLUSTERS_HEADLINE),
            html.Div(draw_use(view), id=ids.CLUSTERS_USE),
            html.Div(draw_months(view), id=ids.CLUSTERS_MONTHS),
            html.Div(draw_holders(view), id=ids.CLUSTERS_HOLDERS),
            html.Div(draw_waits(view), id=ids.CLUSTERS_WAITS),
            html.Div(draw_jobs(view), id=ids.CLUSTERS_JOBS),
            html.Div(draw_sql(), id=ids.CLUSTERS_SQL),
        ],
        className="page",
    )


@callback(Output(ids.CLUSTERS_HEADLINE, "children"), *DAYS, prevent_initial_call=True)
def redraw_headline(start: str | None, end: str | None, _new: str | None) -> Any:  # noqa: ANN401
    """Redraws the Clusters page's sentence and warnings when date range or snapshot changes."""
    return draw_headline(View.parse({"from": start, "to": end}))


@callback(Output(ids.CLUSTERS_MONTHS, "children"), *DAYS, prevent_initial_call=True)
def redraw_months(start: str | None, end: str | None, _new: str | None) -> Any:  # noqa: ANN401
    """Redraws the card of each pool's hours and cost by month on a new range or snapshot."""
    return draw_months(View.parse({"from": start, "to": end}))


@callback(Output(ids.CLUSTERS_WAITS, "children"), *DAYS, prevent_initial_call=True)
def redraw_waits(start: str | None, end: str | None, _new: str | None) -> Any:  # noqa: ANN401
    """Redraws the card of how long jobs waited, by chip, when the range or snapshot changes."""
    return draw_waits(View.parse({"from": start, "to": end}))


@callback(
    Output(ids.CLUSTERS_USE, "children"),
    Output(ids.CLUSTERS_HOLDERS, "children"),
    Output(ids.CLUSTERS_JOBS, "children"),
    Input(ids.CLUSTERS_POOL, "value"),
    Input(ids.CLUSTERS_WORKLOAD, "value"),
    *DAYS,
    prevent_initial_call=True,
)
def redraw_pool(
    pool: str | None, workload: str | None, start: str | None, end: str | None, _new: str | None
) -> tuple[Any, ...]:
    """Redraws a pool's chart, holders and runs when pool, workload, range or snapshot changes."""
    view = View.parse({"pool": pool, "workload": workload, "from": start, "to": end})
    return draw_use(view), draw_holders(view), draw_jobs(view)


@callback(
    Output(ids.CLUSTERS_POOL, "options"),
    Output(ids.CLUSTERS_SQL, "children"),
    Input(ids.CLUSTERS_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def refresh(_new: str | None) -> tuple[Any, ...]:
    """Updates the Clusters page's choice of pools and its SQL when a snapshot is published."""
    options = [{"label": label, "value": name} for name, label in pool_names().items()]
    return options, draw_sql()


def draw_controls(view: View) -> list[Component]:
    """Builds the Clusters page's controls: list of pools, date range, and a hidden workload."""
    names = pool_names()
    usual = next(iter(names), "")
    return [
        html.Span(hidden=True, **data(usual="pool", value=usual)),
        one_of(ids.CLUSTERS_POOL, "Pool", names, view.pool or usual),
        dcc.Input(id=ids.CLUSTERS_WORKLOAD, type="hidden", value=view.workload),
        date_range(ids.CLUSTERS_DAYS, view),
    ]

"""Renders the Runs page: what each run cost, and the progress that it made."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, NotRequired

from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html
from dash.development.base_component import Component
from pydantic import Field
from typing_extensions import TypedDict

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.runs import queries
from dashboard.pages.runs.controls import column_names, filters, grouped, groupings
from dashboard.pages.runs.grid import record, shown_columns
from dashboard.pages.runs.sections import (
    draw_groups,
    draw_headline,
    draw_run,
    draw_sql,
    grid_card,
)
from dashboard.snapshot.runs import run_dimensions
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.controls import any_of, date_range, one_of, search
from dashboard.widgets.serialisation import Chosen, callback

FILTERS = (
    Input(ids.RUNS_DAYS, "start_date"),
    Input(ids.RUNS_DAYS, "end_date"),
    Input(ids.RUNS_WHERE, "value"),
    Input(ids.RUNS_NAMED, "value"),
)
FILTERED = tuple(State(each.component_id, each.component_property) for each in FILTERS)


Place = Annotated[int, Field(ge=0, le=10**9)]


class SortedColumn(TypedDict):
    """A column that the grid is sorted by, and in which direction."""

    colId: str
    sort: Literal["asc", "desc"]


class GridRequest(TypedDict):
    """The browser grid's request for a block of rows in an order; other fields are ignored."""

    startRow: Place
    endRow: Place
    sortModel: NotRequired[list[SortedColumn] | None]


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Runs page; the browser asks for the rows of its grid later."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.RUNS_NEW_SNAPSHOT),
            html.Div(
                [
                    search(ids.RUNS_NAMED, "Name of a run", view.named),
                    any_of(ids.RUNS_WHERE, "Filter", filters(), view.where, "All runs"),
                    one_of(ids.RUNS_GROUP, "Group", groupings(), grouped(view)),
                    any_of(ids.RUNS_COLUMNS, "Columns", column_names(), view.columns, "Default"),
                    date_range(ids.RUNS_DAYS, view),
                ],
                className="toolbar controls",
            ),
            html.Div(draw_headline(view), id=ids.RUNS_HEADLINE),
            html.Div(draw_groups(view), id=ids.RUNS_GROUPS),
            grid_card(view),
            html.Div(draw_run(view.run), id=ids.RUNS_PANEL),
            dcc.Input(id=ids.RUNS_RUN, type="hidden", value=view.run),
            dcc.Input(id=ids.RUNS_SORT, type="hidden", value=view.sort),
            html.Div(draw_sql(), id=ids.RUNS_SQL),
        ],
        className="page",
    )


clientside_callback(
    ClientsideFunction("breakeven", "askAgain"),
    *FILTERS,
    Input(ids.RUNS_NEW_SNAPSHOT, "data"),
    State(ids.RUNS_GRID, "id"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("breakeven", "sorted"),
    Output(ids.RUNS_SORT, "value"),
    Input(ids.RUNS_GRID, "getRowsRequest"),
    State(ids.RUNS_SORT, "value"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("breakeven", "sort"),
    Input(ids.RUNS_SORT, "value"),
    State(ids.RUNS_GRID, "id"),
    prevent_initial_call=True,
)


@callback(
    Output(ids.RUNS_GRID, "getRowsResponse"),
    Input(ids.RUNS_GRID, "getRowsRequest"),
    *FILTERED,
    prevent_initial_call=True,
)
def fill(request: GridRequest | None, *filters: Chosen) -> Any:  # noqa: ANN401  # as Dash sends them
    """Returns the block of filtered runs that the browser's grid requests, and how many match."""
    found = rows_of(request, _view(*filters)) if request else None
    return found or {"rowData": [], "rowCount": 0}


@callback(
    Output(ids.RUNS_HEADLINE, "children"),
    *FILTERS,
    Input(ids.RUNS_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def redraw(*filters: Chosen) -> Any:  # noqa: ANN401
    """Redraws the sentence of the Runs page when a filter or the snapshot changes."""
    return draw_headline(_view(*filters[:4]))


@callback(
    Output(ids.RUNS_GROUPS, "children"),
    *FILTERS,
    Input(ids.RUNS_GROUP, "value"),
    Input(ids.RUNS_NEW_SNAPSHOT, "data"),
    State(ids.RUNS_COLUMNS, "value"),
    State(ids.RUNS_SORT, "value"),
    prevent_initial_call=True,
)
def regroup(*values: Chosen) -> Any:  # noqa: ANN401
    """Redraws the groups of runs when filters, grouping or snapshot change."""
    *filters, group, _snapshot, columns, sort = values
    more = View.parse({"group": group, "columns": columns, "sort": sort})
    view = _view(*filters)
    return draw_groups(replace(view, group=more.group, columns=more.columns, sort=more.sort))


@callback(
    Output(ids.RUNS_GRID, "columnDefs"),
    Input(ids.RUNS_COLUMNS, "value"),
    State(ids.RUNS_SORT, "value"),
    prevent_initial_call=True,
)
def choose_columns(columns: list[str] | None, sort: str | None) -> list[dict[str, Any]]:
    """Returns the definitions of the columns that the reader chose for the grid of runs."""
    return shown_columns(run_dimensions.known_dimensions(), columns or (), sort or "")


@callback(
    Output(ids.RUNS_PANEL, "children"),
    Input(ids.RUNS_RUN, "value"),
    Input(ids.RUNS_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def open_run(run: str | None, _snapshot: str | None) -> Any:  # noqa: ANN401
    """Redraws the panel of one run when it is opened or closed, or the snapshot changes."""
    return draw_run(run or "")


@callback(
    Output(ids.RUNS_WHERE, "options"),
    Output(ids.RUNS_COLUMNS, "options"),
    Output(ids.RUNS_SQL, "children"),
    Input(ids.RUNS_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None) -> tuple[Any, ...]:
    """Updates the Runs page's filter and column choices and SQL when a snapshot is published."""
    return filters(), column_names(), draw_sql()


@once_published()
def rows_of(request: GridRequest, view: View) -> dict[str, Any]:
    """Returns a block of the filtered runs in the grid's sort order, and how many match."""
    dims = run_dimensions.known_dimensions()
    sort = next(iter(request.get("sortModel") or ()), None)
    view = view.sorted_by(f"{sort['colId']}:{sort['sort']}" if sort else "")
    first, last = request["startRow"], request["endRow"]
    rows = queries.chosen_runs(view, first, last - first)
    found = rows[0]["found"] if rows else 0
    return {"rowData": [record(row, dims) for row in rows], "rowCount": found}


def _view(start: Chosen, end: Chosen, where: Chosen, named: Chosen) -> View:
    return View.parse({"from": start, "to": end, "where": where, "named": named})

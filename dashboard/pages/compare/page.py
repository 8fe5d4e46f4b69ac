"""Renders the Compare page: what a unit of work costs, by one or two tags or dimensions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.compare import queries
from dashboard.pages.compare.bars import bars
from dashboard.pages.compare.cost_per_epoch import by_unit
from dashboard.pages.compare.grid import SENT, comparison_grid
from dashboard.pages.compare.spread import spread
from dashboard.pages.compare.wording import (
    comparison_sentence,
    different_work,
    left_out_note,
    question,
    unit_of,
)
from dashboard.snapshot import published
from dashboard.snapshot.runs import run_dimensions
from dashboard.snapshot.runs.compared_runs import Axes, axes, purpose_named
from dashboard.snapshot.runs.units import unit_of_runs
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card, chart
from dashboard.widgets.controls import any_of, choice, date_range, one_of
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty, notice
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import Chosen, callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.asked_for import asked_for
from dashboard.wording.dimensions import NONE, Dimension, options
from dashboard.wording.explanations import compare as explained
from dashboard.wording.units import Unit, words
from models.contract.errors import StorageError

MARTS = ("runs", "spend_daily", "cost_per_epoch")
LAYOUTS = {"list": "List", "pivot": "Pivot"}
MIXED = (
    "Epochs of different workloads are different work, so a group that trains larger models looks "
    "more expensive. Filter one workload, or compare by workload, to compare like with like."
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Compare page, all parts drawn, from the address's query."""
    view = View.parse(query)
    of = axes(view, run_dimensions.known_dimensions())
    unit = words(unit_of_runs())
    headline_part, drawn, table, apart = draw(view)
    return html.Div(
        [
            dcc.Store(id=ids.COMPARE_NEW_SNAPSHOT),
            html.Div(_controls(view, of), className="toolbar controls"),
            html.Div(headline_part, id=ids.COMPARE_HEADLINE),
            card(
                f"Cost {unit.per}",
                html.Div(drawn, id=ids.COMPARE_BARS),
                explained.COMPARED,
                choice(ids.COMPARE_BASIS, "Basis", _bases(), view.basis),
            ),
            card(
                "The same, in figures",
                html.Div(table, id=ids.COMPARE_TABLE),
                explained.COMPARED,
                html.Div(
                    [
                        choice(ids.COMPARE_LAYOUT, "Layout", LAYOUTS, view.layout),
                        download("/csv/compare"),
                    ],
                    className="actions",
                ),
            ),
            card("Run by run", html.Div(apart, id=ids.COMPARE_SPREAD), explained.SPREAD),
            html.Div(draw_sql(), id=ids.COMPARE_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.COMPARE_HEADLINE, "children"),
    Output(ids.COMPARE_BARS, "children"),
    Output(ids.COMPARE_TABLE, "children"),
    Output(ids.COMPARE_SPREAD, "children"),
    Input(ids.COMPARE_DAYS, "start_date"),
    Input(ids.COMPARE_DAYS, "end_date"),
    Input(ids.COMPARE_WHERE, "value"),
    Input(ids.COMPARE_BY, "value"),
    Input(ids.COMPARE_THEN, "value"),
    Input(ids.COMPARE_BASIS, "value"),
    Input(ids.COMPARE_LAYOUT, "value"),
    Input(ids.COMPARE_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def redraw(*chosen: Chosen) -> tuple[Any, ...]:
    """Redraws Compare's sentence, bars, grid and chart of runs on a new choice or snapshot."""
    names = ("from", "to", "where", "by", "then", "basis", "layout")
    return draw(View.parse(dict(zip(names, chosen[: len(names)], strict=True))))


@callback(
    Output(ids.COMPARE_WHERE, "options"),
    Output(ids.COMPARE_SQL, "children"),
    Input(ids.COMPARE_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None) -> tuple[Any, ...]:
    """Updates the Compare page's filter choices and SQL when another snapshot is published."""
    return options(run_dimensions.facets(), run_dimensions.known_dimensions()), draw_sql()


def draw(view: View) -> tuple[Any, ...]:
    """Renders Compare's sentence, bars, grid and chart of runs, or that nothing is published."""
    found = draw_all(view)
    return found if isinstance(found, tuple) else ([found], None, None, None)


@once_published(nothing_published)
def draw_all(view: View) -> tuple[Any, ...]:
    """Renders Compare's four parts: headline and notices, bars, grid, and chart of single runs."""
    dims = run_dimensions.known_dimensions()
    of = axes(view, dims)
    rows, found = queries.comparison(view), queries.comparison_left_out(view)
    parts = [
        headline(
            question(of, unit_of(found)),
            comparison_sentence(rows, of, found),
            asked=asked_for(view, dims),
        ),
        basis_line(_stands_on(view)),
        html.P(left_out_note(found, of, purpose_named(view, dims, of)), className="note"),
    ]
    notices = [notice("Not like with like", MIXED)] if _mixed(of, found) else []
    if differ := different_work(of, found):
        notices.append(notice("Not comparable", differ))
    if notices:
        parts.append(html.Div(notices, className="notices"))
    if not rows:
        none = empty("No run to compare", "Choose another range or other filters.")
        return parts, none, None, None
    unit = unit_of(found)
    grid = comparison_grid(rows, of, view, ids.COMPARE_GRID, unit)
    more = f"The first {SENT:,} of {len(rows):,} groups; the CSV has all."
    note = html.P(more, className="note") if len(rows) > SENT else None
    return parts, bars(rows, of, unit), [grid, note], _spread(view, of)


def _stands_on(view: View) -> dict[str, Any]:
    """Returns the snapshot's row, with cost basis `list` where the URL asks for list prices."""
    found = published.snapshot() or {}
    return found | {"basis": "list"} if view.basis == "list" else found


def _mixed(of: Axes, found: dict[str, Any]) -> bool:
    return found["workloads"] > 1 and not of.has("workload")


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Compare page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def _spread(view: View, of: Axes) -> Component:
    rows = queries.comparison_spread(view)
    if not rows:
        return empty(
            "No run with progress and a known cost", "Work counts once its day is settled."
        )
    by = run_dimensions.known_dimensions()["hardware"] if of.by.charged else of.by
    return html.Div(
        [_one_spread(of_unit, by, words(unit)) for unit, of_unit in by_unit(rows).items()]
    )


def _one_spread(rows: list[dict[str, Any]], by: Dimension, unit: Unit) -> Component:
    text = f"Cost {unit.per} of {len(rows):,} runs by {by.label}."
    return chart(spread(rows, by, unit), text, f"{text} The grid above has the figures.")


def _bases() -> dict[str, str]:
    basis = "effective"
    with suppress(StorageError):
        basis = str((published.snapshot() or {}).get("basis", basis))
    return {"configured": f"{basis.capitalize()} cost", "list": "List prices"}


def _controls(view: View, of: Axes) -> list[Component]:
    dims = run_dimensions.known_dimensions()
    labels = {key: one.label for key, one in dims.items()}
    then = of.then.key if of.then else NONE
    filters = options(run_dimensions.facets(), dims)
    return [
        one_of(ids.COMPARE_BY, "By", labels, of.by.key),
        one_of(ids.COMPARE_THEN, "then by", {NONE: "nothing else", **labels}, then),
        any_of(ids.COMPARE_WHERE, "Filter", filters, view.where, "All runs"),
        date_range(ids.COMPARE_DAYS, view),
    ]

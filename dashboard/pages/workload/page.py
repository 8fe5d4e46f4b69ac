"""Renders a workload's page: whether its move has paid for itself, and where money goes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlencode

from dash import Input, Output, State, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.workload import queries
from dashboard.pages.workload.arithmetic import arithmetic
from dashboard.pages.workload.cost_breakdown import dollars_table
from dashboard.pages.workload.curve import curve_card
from dashboard.pages.workload.epoch_cost import epoch_cost
from dashboard.pages.workload.loss_curve import loss_curve, placed
from dashboard.pages.workload.result_card import result_card
from dashboard.pages.workload.wording import loss_note, saving_note
from dashboard.snapshot import break_even, published
from dashboard.snapshot.runs.units import unit_of
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card, chart
from dashboard.widgets.controls import choice, date_range
from dashboard.widgets.headline.going_on import going_on
from dashboard.widgets.headline.judged import judged
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty, status_pill
from dashboard.widgets.notices import notices
from dashboard.widgets.page_states import not_found, nothing_published
from dashboard.widgets.runs_grid import identified_note, runs_grid
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.break_even import workload_sentence
from dashboard.wording.explanations import workload as explained
from dashboard.wording.units import words
from dashboard.wording.unknown import NO_HOURS
from models.config.refusals.unknown_keys import known_names
from models.contract.errors import StorageError

MARTS = (
    "break_even",
    "recent_windows",
    "gpu_volume",
    "gpu_overhead",
    "results",
    "result_runs",
    "judged_daily",
    "unjudged_kinds",
    "savings_daily",
    "all_savings_daily",
    "cost_per_epoch",
    "baselines",
    "runs",
)
WEEKS = {"week": "Weeks", "month": "Months"}
AXES = {"dollars": "Dollars", "hours": "Machine-hours", "clock": "Wall clock"}


def exists(workload: str) -> bool:
    """Returns whether the reader's snapshot has this workload; True without a snapshot."""
    with suppress(StorageError):
        return not published.snapshot() or break_even.standing(workload) is not None
    return True


def layout(name: str = "", **query: str) -> Component:
    """Renders a workload's page in one response; for an unknown name, that it is unknown."""
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
            dcc.Store(id=ids.WORKLOAD_NEWS),
            dcc.Store(id=ids.WORKLOAD_NAME, data=workload),
            html.Div([_crumbs(workload), date_range(ids.WORKLOAD_DAYS, view)], className="toolbar"),
            html.Div(draw_headline(workload), id=ids.WORKLOAD_HEADLINE),
            html.Div([curve_card(workload, view), _epoch_card(workload, view)], className="pair"),
            html.Div(draw_forward(workload), id=ids.WORKLOAD_FORWARD),
            _loss_card(workload, view),
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
    Input(ids.WORKLOAD_NEWS, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None, workload: str) -> tuple[Any, ...]:
    """Redraws a workload's parts without a date range when another snapshot is published."""
    return draw_headline(workload), draw_forward(workload), draw_baseline(workload), draw_sql()


@callback(
    Output(ids.WORKLOAD_DOLLARS, "children"),
    Output(ids.WORKLOAD_RUNS, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_NEWS, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw(
    start: str | None, end: str | None, _snapshot: str | None, workload: str
) -> tuple[Any, ...]:
    """Redraws a workload's costs and runs when the date range or snapshot changes."""
    view = View.parse({"from": start, "to": end})
    return draw_dollars(workload, view), draw_runs(workload, view)


@callback(
    Output(ids.WORKLOAD_EPOCH_COST, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_PERIOD, "value"),
    Input(ids.WORKLOAD_NEWS, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw_epoch_cost(
    start: str | None, end: str | None, period: str, _snapshot: str | None, workload: str
) -> Component | None:
    """Redraws a workload's cost per unit when period, range or snapshot changes."""
    return draw_epoch_cost(workload, View.parse({"from": start, "to": end, "period": period}))


@callback(
    Output(ids.WORKLOAD_LOSS, "children"),
    Input(ids.WORKLOAD_DAYS, "start_date"),
    Input(ids.WORKLOAD_DAYS, "end_date"),
    Input(ids.WORKLOAD_AXIS, "value"),
    Input(ids.WORKLOAD_NEWS, "data"),
    State(ids.WORKLOAD_NAME, "data"),
    prevent_initial_call=True,
)
def redraw_loss(
    start: str | None, end: str | None, axis: str, _snapshot: str | None, workload: str
) -> Component | None:
    """Redraws the chart of training losses when axis, date range or snapshot changes."""
    return draw_loss(workload, View.parse({"from": start, "to": end, "axis": axis}))


@once_published(nothing_published)
def draw_headline(workload: str) -> list[Component | None]:
    """Renders whether a move has paid for itself, and its warnings."""
    standing, snapshot = break_even.standing(workload), published.snapshot()
    if standing is None or snapshot is None:
        return [not_found(workload, "The current snapshot no longer names this workload.")]
    question = f"Has moving {workload} to Trainium paid for itself?"
    return [
        headline(
            question, workload_sentence(standing), status_pill(standing["status"]), _brief(workload)
        ),
        basis_line(snapshot, standing),
        html.Div(notices(standing), className="notices"),
    ]


def _brief(workload: str) -> Component:
    """Links to the workload's one-page brief."""
    href = f"/brief.pdf?{urlencode({'workload': workload})}"
    return html.A("One-page brief (PDF)", href=href, className="take", download="")


@once_published()
def draw_forward(workload: str) -> Component | None:
    """Renders the cost of a result, the return of the move, and how much spend is compared."""
    standing = break_even.standing(workload) or {}
    cards = [
        result_card(standing, queries.results(workload)),
        going_on(standing, published.settled_through(), break_even.paceless_kinds(workload)),
        judged(standing, break_even.unjudged_kinds(workload)),
    ]
    shown = [each for each in cards if each]
    return html.Div(shown, className="pair") if shown else None


@once_published()
def draw_epoch_cost(workload: str, view: View) -> Component:
    """Draws a workload's cost per unit on GPU and Trainium by period."""
    periods = queries.cost_per_epoch(workload, view)
    if not periods:
        return empty("No work in this range", "Work counts once its day is settled.")
    baseline, changes = queries.baselines(workload, view), queries.price_changes(workload, view)
    standing = break_even.standing(workload) or {}
    figure = epoch_cost(periods, baseline, changes, view.period, standing)
    note = saving_note(standing, queries.further_kinds(workload))
    text = f"Cost {words(standing.get('unit')).per} of {workload} on GPU and on Trainium."
    return chart(figure, text, note)


@once_published()
def draw_loss(workload: str, view: View) -> Component:
    """Draws the training loss of a workload's runs against dollars or time."""
    rows = queries.loss(workload, view)
    if not rows:
        return empty("No loss reported", "Runs that report their loss are drawn here.")
    on_axis = placed(rows, view.axis)
    if not on_axis:
        return empty("No cost or hours to draw the loss against", NO_HOURS, "question")
    figure = loss_curve(on_axis, view.axis, queries.target_loss(workload))
    words = f"Training loss of each run against {AXES[view.axis].lower()}."
    return chart(figure, words, loss_note(rows, on_axis))


@once_published()
def draw_dollars(workload: str, view: View) -> Component:
    """Renders the table of where each dollar of a workload's runs went."""
    rows = queries.spending(workload, view)
    body = empty("No run in this range", "Choose another range.")
    if rows:
        spent = any(row["cost"] for row in rows)
        body = empty("No cost is known", NO_HOURS, "question")
        if spent:
            body = dollars_table(rows, queries.cluster_idle(workload, view))
    return card("Where each dollar went", body, explained.WHERE)


@once_published()
def draw_runs(workload: str, view: View) -> Component:
    """Renders the grid of a workload's runs."""
    rows = queries.runs(workload, view)
    none = empty("No run in this range", "Choose another range.")
    note = html.P(identified_note(rows), className="note")
    body = html.Div([runs_grid(rows, ids.WORKLOAD_GRID), note]) if rows else none
    return card(f"Runs ({len(rows):,})", body, explained.RUNS)


@once_published()
def draw_baseline(workload: str) -> Component:
    """Renders the arithmetic of a workload's GPU baseline."""
    found = queries.baseline(workload)
    none = empty("No baseline", "No GPU run of this workload has ended yet.")
    body = arithmetic(found, queries.baseline_parts(workload)) if found else none
    return card("How the GPU baseline is computed", body, explained.BASELINE)


@once_published()
def draw_sql() -> Component:
    """Renders the section of a workload's page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def _crumbs(workload: str) -> Component:
    return html.Nav([dcc.Link("Overview", href="/"), html.Span(workload)], className="crumbs")


def _epoch_card(workload: str, view: View) -> Component:
    body = html.Div(draw_epoch_cost(workload, view), id=ids.WORKLOAD_EPOCH_COST)
    periods = choice(ids.WORKLOAD_PERIOD, "Period", WEEKS, view.period)
    return card(f"Cost {words(unit_of(workload)).per}", body, explained.EPOCH_COST, periods)


def _loss_card(workload: str, view: View) -> Component:
    body = html.Div(draw_loss(workload, view), id=ids.WORKLOAD_LOSS)
    axes = choice(ids.WORKLOAD_AXIS, "Against", AXES, view.axis)
    return card("Loss against cost", body, explained.LOSS, axes)

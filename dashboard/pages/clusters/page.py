"""Renders the Clusters page: who holds machines that jobs share, and how much stands idle."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.links import clusters_address
from dashboard.address.view import View
from dashboard.pages.clusters import queries
from dashboard.pages.clusters.states import HOW, no_clusters, notices
from dashboard.pages.clusters.tables import holders_table, months_table, runs_table, waits_table
from dashboard.pages.clusters.use_chart import use_chart
from dashboard.pages.clusters.wording import CHART_NOTE, clusters_sentence, pool_name
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.attributes import data
from dashboard.widgets.card import card, chart
from dashboard.widgets.controls import date_range, one_of
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import clusters as explained
from models.contract.errors import MissingDataError, StorageError

QUESTION = "Who holds our machines, and how much stands idle?"
MARTS = ("pool_use", "run_jobs", "pools", "allocation_coverage")
DAYS = (
    Input(ids.CLUSTERS_DAYS, "start_date"),
    Input(ids.CLUSTERS_DAYS, "end_date"),
    Input(ids.CLUSTERS_NEWS, "data"),
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Clusters page, all parts drawn, from the address's query."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.CLUSTERS_NEWS),
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
def redraw_headline(start: str | None, end: str | None, _news: str | None) -> Any:  # noqa: ANN401
    """Redraws the Clusters page's sentence and warnings when date range or snapshot changes."""
    return draw_headline(View.parse({"from": start, "to": end}))


@callback(Output(ids.CLUSTERS_MONTHS, "children"), *DAYS, prevent_initial_call=True)
def redraw_months(start: str | None, end: str | None, _news: str | None) -> Any:  # noqa: ANN401
    """Redraws the card of each pool's hours and cost by month on a new range or snapshot."""
    return draw_months(View.parse({"from": start, "to": end}))


@callback(Output(ids.CLUSTERS_WAITS, "children"), *DAYS, prevent_initial_call=True)
def redraw_waits(start: str | None, end: str | None, _news: str | None) -> Any:  # noqa: ANN401
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
    pool: str | None, workload: str | None, start: str | None, end: str | None, _news: str | None
) -> tuple[Any, ...]:
    """Redraws a pool's chart, holders and runs when pool, workload, range or snapshot changes."""
    view = View.parse({"pool": pool, "workload": workload, "from": start, "to": end})
    return draw_use(view), draw_holders(view), draw_jobs(view)


@callback(
    Output(ids.CLUSTERS_POOL, "options"),
    Output(ids.CLUSTERS_SQL, "children"),
    Input(ids.CLUSTERS_NEWS, "data"),
    prevent_initial_call=True,
)
def refresh(_news: str | None) -> tuple[Any, ...]:
    """Updates the Clusters page's choice of pools and its SQL when a snapshot is published."""
    options = [{"label": label, "value": name} for name, label in pool_names().items()]
    return options, draw_sql()


def pool_names() -> dict[str, str]:
    """Maps each pool's key in the URL to the name shown, the pool with most idle dollars first.

    Of all days, so that a link without a pool shows the same one whatever its range. Empty where
    nothing is published.
    """
    with suppress(MissingDataError, StorageError):
        return {queries.name_of(row): pool_name(row) for row in queries.names()}
    return {}


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


@once_published(nothing_published)
def draw_headline(view: View) -> Component | list[Component]:
    """Renders how much shared machines stood idle, with warnings; without any, how to add them.

    A reader with a limited scope sees what their workloads held instead.
    """
    whole, pools = data_context().scope.everything, queries.pools(view)
    if not pool_names():
        return no_clusters(QUESTION, whole)
    return [
        headline(QUESTION, _sentence(view)),
        basis_line(published.snapshot() or {}),
        html.Div(notices(pools, queries.missing_allocations(view), whole), className="notices"),
    ]


def _sentence(view: View, pool: str = "") -> str:
    """Says how much of a pool stood idle, or of all pools."""
    pools, reasons = (
        [row for row in rows if pool in ("", queries.name_of(row))]
        for rows in (queries.pools(view), queries.idle_reasons(view))
    )
    return clusters_sentence(pools, reasons, data_context().scope.everything)


@once_published()
def draw_use(view: View) -> Component | None:
    """Renders the chart of who held the chosen pool by day or week; None if there are no pools."""
    if not pool_names():
        return None
    pool = chosen_pool(view)
    step = queries.step(view, pool)
    rows = queries.use(view, pool, step)
    name = pool_names().get(pool, pool)
    if not rows:
        body = empty("No hour of this pool in this range", "Choose another range or pool.")
        return card(f"Who held {name}", body, explained.USE)
    figure = use_chart(rows, step, published.settled_through())
    words = f"Accelerator-hours of {name} by {step}: who held them, and what stood idle."
    said = html.P(_sentence(view, pool), className="note")
    body = html.Div([said, chart(figure, words, CHART_NOTE)])
    return card(f"Who held {name}", body, explained.USE)


@once_published()
def draw_months(view: View) -> Component | None:
    """Renders the card with each pool's hours and cost by month; None if there are no pools."""
    if not pool_names():
        return None
    whole = data_context().scope.everything
    rows = queries.months(view)
    body = empty("No shared machine in this range", "Choose another range.")
    if rows:
        body = months_table(rows, queries.waits_by_month(view), view, whole)
    return card("All pools by month", body, explained.POOLS, download("/csv/pools"))


@once_published()
def draw_holders(view: View) -> Component | None:
    """Renders the card of who held the chosen pool, in hours and cost; None without pools."""
    if not pool_names():
        return None
    pool = chosen_pool(view)
    rows = queries.holders(view, pool)
    whole = data_context().scope.everything
    body = empty("No settled hour of this pool in this range", "Choose another range or pool.")
    if rows:
        body = holders_table(rows, view, pool, whole)
    return card(f"Who held it: {pool_names().get(pool, pool)}", body, explained.HOLDERS)


@once_published()
def draw_jobs(view: View) -> Component | None:
    """Renders the card of the chosen pool's 25 costliest runs, with jobs; None without pools."""
    if not pool_names():
        return None
    pool = chosen_pool(view)
    rows = queries.runs(view, pool)
    body = empty(
        "No run is known to have held this pool",
        "Jobs name a run by a label, or by an entry of [[tag_rules]]:",
        read=HOW,
    )
    title = f"Runs and their jobs{f': {view.workload}' if view.workload else ''}"
    return card(title, runs_table(rows) if rows else body, explained.JOBS, _all_runs(view, pool))


@once_published()
def draw_waits(view: View) -> Component | None:
    """Renders the card of how long jobs waited, by chip; None if there are no pools."""
    if not pool_names():
        return None
    rows = queries.waits(view)
    body = empty(
        "How long jobs waited is not known",
        "A source that tells when a job was submitted fills this:",
        read=HOW,
    )
    timed = any(row["timed"] for row in rows)
    return card(
        "Queue wait by chip, all pools", waits_table(rows) if timed else body, explained.WAITS
    )


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Clusters page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def chosen_pool(view: View) -> str:
    """Returns the key of the pool in the URL, else of that with most idle dollars; else empty."""
    return view.pool or next(iter(pool_names()), "")


def _all_runs(view: View, pool: str) -> Component | None:
    """Renders the link that shows the runs of all workloads again."""
    if not view.workload:
        return None
    href = clusters_address(replace(view, workload=""), pool)
    return html.A("All workloads", href=href, className="action", **data(go="clusters", stay="yes"))

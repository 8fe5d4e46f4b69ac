"""Draws the cards of the Clusters page: use of a pool, months, holders, waits and jobs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from dash import html
from dash.development.base_component import Component

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
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import clusters as explained
from models.contract.errors import MissingDataError, StorageError

QUESTION = "Who holds our machines, and how much stands idle?"
MARTS = ("pool_use", "run_jobs", "pools", "allocation_coverage")


def pool_names() -> dict[str, str]:
    """Maps each pool's key in the URL to the name shown, the pool with most idle dollars first.

    Of all days, so that a link without a pool shows the same one whatever its range. Empty where
    nothing is published.
    """
    with suppress(MissingDataError, StorageError):
        return {queries.name_of(row): pool_name(row) for row in queries.names()}
    return {}


@once_published(nothing_published)
def draw_headline(view: View) -> Component | list[Component]:
    """Renders how much of shared machines stood idle, and warnings; without pools, how to add them.

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
    """Renders the chart of who occupied the chosen pool by day or week; None without any pool."""
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
    note = html.P(_sentence(view, pool), className="note")
    body = html.Div([note, chart(figure, words, CHART_NOTE)])
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
    """Renders the card of who occupied the chosen pool, in hours and cost; None without pools."""
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
    """Returns the URL's pool, else the one with most idle dollars; empty text without any pool."""
    return view.pool or next(iter(pool_names()), "")


def _all_runs(view: View, pool: str) -> Component | None:
    """Renders the link that removes the page's filter by a workload; None if there is no filter."""
    if not view.workload:
        return None
    href = clusters_address(replace(view, workload=""), pool)
    return html.A("All workloads", href=href, className="action", **data(go="clusters", stay="yes"))

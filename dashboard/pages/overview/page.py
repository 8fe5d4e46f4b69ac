"""Renders the Overview page: whether moving to Trainium has paid for itself."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dash import Input, Output, State, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.overview import queries
from dashboard.pages.overview.curve import curve_card
from dashboard.pages.overview.nothing_tagged import nothing_tagged
from dashboard.pages.overview.standings import show_all, standings_table, workload_order
from dashboard.pages.overview.tiles import (
    left_out,
    saved_of_gpu_cost,
    saved_this_month,
    training_share,
)
from dashboard.snapshot import break_even, portfolio, published, unsettled
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.headline.going_on import going_on
from dashboard.widgets.headline.judged import judged
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.break_even import portfolio_sentence, scope_sentence
from models.contract.schema import PORTFOLIO

STANDINGS = 25
"""How many workloads are shown at first."""
QUESTION = "Has moving to Trainium paid for itself?"
SCOPED_QUESTION = "Has moving your workloads to Trainium paid for itself?"
SCOPED = html.P(
    "These are the workloads that you have access to. Company-wide figures are not shown.",
    className="note",
)
MARTS = (
    "break_even",
    "recent_windows",
    "gpu_volume",
    "gpu_overhead",
    "judged_daily",
    "unjudged_kinds",
    "savings_daily",
    "all_savings_daily",
    "monthly_summary",
    "cost_per_epoch",
    "baselines",
    "spend_daily",
    "unsettled_spend",
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Overview page, all parts drawn, from the address's query."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.OVERVIEW_NEW_SNAPSHOT),
            dcc.Store(id=ids.OVERVIEW_EVERY, data=view.every),
            html.Div(draw_headline(), id=ids.OVERVIEW_HEADLINE),
            curve_card(view),
            html.Div(draw_tiles(), id=ids.OVERVIEW_TILES, className="tiles"),
            html.Div(draw_forward(), id=ids.OVERVIEW_FORWARD),
            html.Div(draw_standings(view.every), id=ids.OVERVIEW_STANDINGS),
            html.Div(draw_sql(), id=ids.OVERVIEW_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.OVERVIEW_HEADLINE, "children"),
    Output(ids.OVERVIEW_TILES, "children"),
    Output(ids.OVERVIEW_FORWARD, "children"),
    Output(ids.OVERVIEW_STANDINGS, "children"),
    Output(ids.OVERVIEW_SQL, "children"),
    Input(ids.OVERVIEW_NEW_SNAPSHOT, "data"),
    State(ids.OVERVIEW_EVERY, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None, every: str) -> tuple[Any, ...]:
    """Redraws the Overview, except its curve, when another snapshot is published."""
    return draw_headline(), draw_tiles(), draw_forward(), draw_standings(every), draw_sql()


@once_published(nothing_published)
def draw_headline() -> list[Component | None]:
    """Renders whether the move has paid for itself or, where nothing is tagged, what to do."""
    snapshot = published.snapshot() or {}
    standing = portfolio.standing()
    if not portfolio.is_whole():
        sentence = scope_sentence(standing or {})
        return [headline(SCOPED_QUESTION, sentence), basis_line(snapshot), SCOPED]
    if not queries.anything_tagged():
        return [_nothing_tagged((standing or {}).get("cumulative_investment"))]
    waits = unsettled.waiting()
    sentences = portfolio_sentence(standing, queries.moved()), waits.allocations
    stands = basis_line(snapshot, standing, published.restated(), waits.bill)
    return [headline(QUESTION, " ".join(filter(None, sentences))), stands]


@once_published()
def draw_forward() -> Component | None:
    """Renders what the move returns, what a month adds, and how much spend is compared."""
    if not queries.anything_tagged():
        return None
    standing = portfolio.standing() or {}
    cards = [
        going_on(standing, published.settled_through(), break_even.paceless_kinds()),
        judged(standing, break_even.unjudged_kinds()),
    ]
    return html.Div([shown for shown in cards if shown], className="pair")


@once_published()
def draw_tiles() -> list[Component]:
    """Renders the Overview's four tiles; an empty list where nothing is tagged."""
    if not queries.anything_tagged():
        return []
    standing = portfolio.standing() or {}
    untagged = {"Untagged spend": queries.untagged().get("cost")}
    months = portfolio.months()
    waits = unsettled.waiting_of_month(months[0]["month"]).days if months else {}
    return [
        saved_this_month(months, standing, waits.get(PORTFOLIO, 0)),
        saved_of_gpu_cost(queries.saved_of_gpu_cost(), standing),
        training_share(queries.training_share()),
        left_out(untagged if portfolio.is_whole() else {}, standing),
    ]


@once_published()
def draw_standings(every: str = "") -> Component | None:
    """Renders the table of 25 workloads, or all with `every`; those to act on come first."""
    rows = sorted(queries.standings(), key=workload_order)
    if not rows:
        return None
    shown = rows if every else rows[:STANDINGS]
    costs = queries.epoch_costs([row["workload"] for row in shown])
    table = standings_table([row | costs[row["workload"]] for row in shown])
    rest = show_all(len(rows)) if len(shown) < len(rows) else None
    return html.Section([html.H2("Workloads"), table, rest], className="card workloads")


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Overview page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def _nothing_tagged(invested: Decimal | None) -> Component:
    spend = queries.untagged_hardware()
    return nothing_tagged(QUESTION, queries.tag_keys(), spend, invested)

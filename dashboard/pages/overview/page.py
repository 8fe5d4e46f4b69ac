"""The Overview page: has moving to Trainium paid for itself?"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dash import Input, Output, State, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.overview import queries
from dashboard.pages.overview.nothing_tagged import nothing_tagged
from dashboard.pages.overview.standings import show_all, standings_table, workload_order
from dashboard.pages.overview.tiles import (
    left_out,
    saved_of_gpu_cost,
    saved_this_month,
    training_share,
)
from dashboard.snapshot import break_even, published
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.controls import date_range
from dashboard.widgets.going_on import going_on
from dashboard.widgets.headline import headline, standing_on
from dashboard.widgets.net_savings import net_savings
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.break_even import portfolio_sentence
from dashboard.wording.explanations import savings
from models.contract.schema import PORTFOLIO

STANDINGS = 25
"""How many workloads are shown at first."""
QUESTION = "Has moving to Trainium paid for itself?"
MARTS = (
    "break_even",
    "recent_windows",
    "old_volume",
    "savings_daily",
    "ledger",
    "monthly_summary",
    "cost_per_epoch",
    "baselines",
    "spend_daily",
)


def layout(**query: str) -> Component:
    """Renders the whole Overview page in one response."""
    view = View.parse(query)
    dates = date_range(ids.OVERVIEW_DAYS, view)
    curve_of_all = html.Div(draw_curve(view), id=ids.OVERVIEW_CURVE)
    return html.Div(
        [
            dcc.Store(id=ids.OVERVIEW_NEWS),
            dcc.Store(id=ids.OVERVIEW_EVERY, data=view.every),
            html.Div(draw_headline(), id=ids.OVERVIEW_HEADLINE),
            card("Cumulative net savings", curve_of_all, savings.CURVE, dates),
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
    Input(ids.OVERVIEW_NEWS, "data"),
    State(ids.OVERVIEW_EVERY, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None, every: str) -> tuple[Any, ...]:
    """Redraws what of the Overview has no dates when another snapshot is published."""
    return draw_headline(), draw_tiles(), draw_forward(), draw_standings(every), draw_sql()


@callback(
    Output(ids.OVERVIEW_CURVE, "children"),
    Input(ids.OVERVIEW_DAYS, "start_date"),
    Input(ids.OVERVIEW_DAYS, "end_date"),
    Input(ids.OVERVIEW_NEWS, "data"),
    prevent_initial_call=True,
)
def redraw_curve(start: str | None, end: str | None, _snapshot: str | None) -> Component | None:
    """Redraws the Overview's curve of net savings when the range or the snapshot changes."""
    return draw_curve(View.parse({"from": start, "to": end}))


@once_published(nothing_published)
def draw_headline() -> list[Component | None]:
    """Renders whether the move has paid for itself or, where nothing is tagged, what to do."""
    snapshot = published.snapshot() or {}
    standing = break_even.standing()
    if not queries.anything_tagged():
        return [_nothing_tagged((standing or {}).get("cumulative_investment"))]
    sentence = portfolio_sentence(standing, queries.moved())
    stands = standing_on(snapshot, standing, published.restated())
    return [headline(QUESTION, sentence), stands]


@once_published()
def draw_curve(view: View) -> Component:
    """Draws the cumulative net savings of all workloads, or says why none are claimed."""
    return net_savings(
        break_even.standing(PORTFOLIO) or {},
        break_even.curve(PORTFOLIO, view),
        break_even.investments(PORTFOLIO, view),
        break_even.forecast(PORTFOLIO, view),
    )


@once_published()
def draw_forward() -> Component | None:
    """Renders what the move returns, and what each month to come adds."""
    return going_on(break_even.standing() or {}) if queries.anything_tagged() else None


@once_published()
def draw_tiles() -> list[Component]:
    """Renders the Overview's four tiles; an empty list where no charge names a workload."""
    if not queries.anything_tagged():
        return []
    standing = break_even.standing() or {}
    return [
        saved_this_month(break_even.months(), standing),
        saved_of_gpu_cost(queries.saved_of_gpu_cost(), standing),
        training_share(queries.training_share()),
        left_out(queries.untagged().get("cost"), standing),
    ]


@once_published()
def draw_standings(every: str = "") -> Component | None:
    """Renders the table of workloads, attention first, 25 unless `every`; None without any."""
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

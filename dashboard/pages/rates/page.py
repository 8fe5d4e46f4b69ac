"""Renders the Rates page: paid and list price of an accelerator-hour, and other ways to buy."""

from __future__ import annotations

from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.rates import queries
from dashboard.pages.rates.charts import rates, spot
from dashboard.pages.rates.purchases import coverage_table, offered_table, offers_table
from dashboard.pages.rates.wording import rates_sentence, unpriced_note
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card, chart
from dashboard.widgets.controls import choice, date_range
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.asked_for import asked_for
from dashboard.wording.explanations import rates as explained

QUESTION = "What does an accelerator-hour cost us, and what is its list price?"
MARTS = ("spend_daily", "price_history", "capacity_offers", "offered")
WEEKS = {"week": "Weeks", "month": "Months"}


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Rates page, all parts drawn, from the address's query."""
    view = View.parse(query)
    periods = choice(ids.RATES_PERIOD, "Period", WEEKS, view.period)
    actions = html.Div([periods, download("/csv/rates")], className="actions")
    curve = html.Div(draw_curve(view), id=ids.RATES_CURVE)
    coverage = html.Div(draw_purchase_options(view), id=ids.RATES_COVERAGE)
    spot_prices = html.Div(draw_spot(view), id=ids.RATES_SPOT)
    blocks = html.Div(draw_blocks(), id=ids.RATES_BLOCKS)
    places = html.Div(draw_offered(), id=ids.RATES_OFFERED)
    offers = (
        card("Capacity Blocks on offer", blocks, explained.BLOCKS),
        card("Where each type is offered", places, explained.OFFERED),
    )
    return html.Div(
        [
            dcc.Store(id=ids.RATES_NEW_SNAPSHOT),
            html.Div(date_range(ids.RATES_DAYS, view), className="toolbar controls"),
            html.Div(draw_headline(view), id=ids.RATES_HEADLINE),
            card("Paid and list price", curve, explained.RATES, actions),
            card("How hours were bought, and idle commitments", coverage, explained.COVERAGE),
            card("Spot prices", spot_prices, explained.SPOT),
            *(offers if data_context().scope.everything else ()),
            html.Div(draw_sql(), id=ids.RATES_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.RATES_HEADLINE, "children"),
    Output(ids.RATES_CURVE, "children"),
    Output(ids.RATES_COVERAGE, "children"),
    Output(ids.RATES_SPOT, "children"),
    Input(ids.RATES_DAYS, "start_date"),
    Input(ids.RATES_DAYS, "end_date"),
    Input(ids.RATES_PERIOD, "value"),
    Input(ids.RATES_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def redraw(
    start: str | None, end: str | None, period: str, _snapshot: str | None
) -> tuple[Any, ...]:
    """Redraws Rates' sentence, curve, purchases and Spot on a new range, period or snapshot."""
    view = View.parse({"from": start, "to": end, "period": period})
    return draw_headline(view), draw_curve(view), draw_purchase_options(view), draw_spot(view)


@callback(
    Output(ids.RATES_BLOCKS, "children"),
    Output(ids.RATES_OFFERED, "children"),
    Output(ids.RATES_SQL, "children"),
    Input(ids.RATES_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None) -> tuple[Any, ...]:
    """Redraws the Rates page's Capacity Blocks, offered types and SQL on a new snapshot."""
    return draw_blocks(), draw_offered(), draw_sql()


@once_published(nothing_published)
def draw_headline(view: View) -> list[Component]:
    """Renders a sentence on what accelerator-hours last cost, paid and listed, by main platform."""
    sentence = rates_sentence(queries.rates(view), view.period)
    stands = basis_line(published.snapshot() or {})
    return [headline(QUESTION, sentence, asked=asked_for(view, {})), stands]


@once_published()
def draw_curve(view: View) -> Component:
    """Draws each platform's paid cost and list price of an accelerator-hour by week or month."""
    rows = queries.rates(view)
    if not any(row["hours"] for row in rows):
        return empty("No accelerator-hour in this range", "Choose another range.")
    figure = rates(rows, queries.list_price_changes(view), view.period)
    words = "Cost per accelerator-hour of each platform, paid and at list prices."
    return chart(figure, words, unpriced_note(rows))


@once_published()
def draw_purchase_options(view: View) -> Component:
    """Renders the monthly table of how accelerator-hours were bought, with idle commitments."""
    return coverage_table(queries.coverage(view), data_context().scope.everything)


@once_published()
def draw_spot(view: View) -> Component:
    """Draws the history of Spot prices, or renders which source to add for them."""
    rows = queries.spot_prices(view)
    if not rows:
        return empty(
            "No Spot price is known",
            "Add the source “spot_prices” to the configuration; its requests are free.",
        )
    today = (published.snapshot() or {})["as_of"].isoformat()
    return chart(spot(rows, today), "Spot price of an accelerator-hour by type and region.")


@once_published()
def draw_blocks() -> Component:
    """Renders the table of Capacity Blocks that EC2 last offered, or how to learn of them."""
    return offers_table(queries.block_offers())


@once_published()
def draw_offered() -> Component:
    """Renders the table of how many zones of each region offer each instance type."""
    return offered_table(queries.offered())


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Rates page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())

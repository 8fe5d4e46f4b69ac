"""Renders the Source page: what one number is made of, down to the delivered rows."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from dash import Input, Output, State, dcc, html
from dash.development.base_component import Component
from pydantic import AfterValidator
from typing_extensions import TypedDict

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.source.rows import count_note, grid, how_it_is_made, reconciliation
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows_behind import source_rows
from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from dashboard.snapshot.rows_behind.selection import Selection
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import plain_card
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import not_found, nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import EXPLAINED
from dashboard.wording.format import month_name
from models.contract.errors import ConfigError, MissingDataError, StorageError
from models.engine.source_lines.first_lines import FirstLines

QUESTION = "What is this number made of?"
WAIT = "Reading what was delivered…"
COMPUTED = "This number is computed from the configuration and other numbers; no row is behind it."
KINDS = {
    "samples": "What training reported",
    "prices": "Prices as delivered",
    "capacity": "What EC2 reported",
    "allocations": "Who held which machine, as delivered",
    "deliveries": "What was delivered, and when",
}
SPREAD = "Spread over hours: Capacity Block fees, instances divided by their pods"
SPREAD_OR_HIDDEN = f"{SPREAD}; and on lines of the whole company, which you may not see"
ORDERS = {
    "progress": "the oldest first; `breakeven export progress` has all",
    "prices": "by instance type; `breakeven export prices` has all",
    "capacity": "by account; `breakeven export capacity` has all",
    "allocations": "by cluster; `breakeven export allocations` has all",
    "deliveries": "the newest first",
}
"""In which order the first of many rows are shown, and where the others are."""


def _explained(number: str) -> str:
    if number not in EXPLAINED:
        raise ValueError("no number has this name")
    return number


class ChosenNumber(TypedDict):
    """The number whose rows the page shows, and the filters in its URL."""

    number: Annotated[str, AfterValidator(_explained)]
    query: dict[str, str | list[str]]


def exists(number: str) -> bool:
    """Returns whether a number with this key has an explanation."""
    return number in EXPLAINED


def layout(number: str = "", **query: str | list[str]) -> Component:
    """Builds the Dash layout of a number's Source page: its explanation; its rows follow later."""
    if not exists(number):
        return not_found("No number has this name", "The link may be of another version.")
    return html.Div(
        [
            dcc.Store(id=ids.SOURCE_NEW_SNAPSHOT),
            dcc.Store(id=ids.SOURCE_ASKED, data={"number": number, "query": query}),
            html.Nav(
                [dcc.Link("Overview", href="/"), html.Span("Source rows")], className="crumbs"
            ),
            html.Div(
                draw_explanation(number, View.parse(query)),
                id=ids.SOURCE_EXPLANATION,
                className="stacked",
            ),
            html.Div(
                html.P(WAIT, className="waiting", role="status"),
                id=ids.SOURCE_ROWS,
                className="stacked",
            ),
        ],
        className="page",
    )


@callback(
    Output(ids.SOURCE_EXPLANATION, "children"),
    Input(ids.SOURCE_NEW_SNAPSHOT, "data"),
    State(ids.SOURCE_ASKED, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None, asked: ChosenNumber) -> Any:  # noqa: ANN401
    """Redraws the explanation and SQL of a number when another snapshot is published."""
    return draw_explanation(asked["number"], View.parse(asked["query"]))


@callback(
    Output(ids.SOURCE_ROWS, "children"),
    Input(ids.SOURCE_ASKED, "data"),
    Input(ids.SOURCE_NEW_SNAPSHOT, "data"),
)
def fill(asked: ChosenNumber, _snapshot: str | None) -> Any:  # noqa: ANN401
    """Reads and renders the delivered rows behind a number, which may take a moment."""
    return draw_rows(asked["number"], View.parse(asked["query"]), asked["query"])


@once_published(nothing_published)
def draw_explanation(number: str, view: View) -> list[Component]:
    """Renders the explanation of a number with its inputs, and the SQL."""
    of, snapshot = EXPLAINED[number], published.snapshot() or {}
    pulled = published.pulled_at()
    inputs = source_rows.inputs(ROWS_BEHIND.get(number, Selection()), view)
    title = _title(of.title, ROWS_BEHIND.get(number, Selection()), view)
    explanation = how_it_is_made(of, inputs, snapshot, pulled["last_success"] if pulled else None)
    return [
        headline(QUESTION, title),
        basis_line(snapshot),
        plain_card("How it is computed", explanation),
        sql_section(of.marts, pulled),
    ]


def _title(text: str, of: Selection, view: View) -> str:
    """Returns a number's title, with the month and the workload that its rows are filtered by."""
    found = source_rows.narrowed_by(of, view)
    month = [month_name(found["month"])] if "month" in found else []
    return ", ".join([text, *month, *([found["workload"]] if "workload" in found else [])])


@once_published()
def draw_rows(number: str, view: View, query: dict[str, Any]) -> list[Component]:
    """Renders a card per table of delivered rows behind a number, or why there is none."""
    of = ROWS_BEHIND.get(number, Selection())
    try:
        cards = [*_bill(of, view, _file(number, query))] if of.bill else []
        tables = {"samples": ("progress", of.samples)} if of.samples else {}
        tables |= {of.table: (of.table, of.rows)} if of.table else {}
        for kind, (table, where) in tables.items():
            cards += _others(table, KINDS[kind], source_rows.delivered_rows(table, where, of, view))
    except (ConfigError, MissingDataError, StorageError) as error:
        return [plain_card("Source rows", empty("The deliveries are not here", str(error)))]
    return cards or [plain_card("Source rows", empty("No source row", COMPUTED))]


def _bill(of: Selection, view: View, file: Component) -> list[Component]:
    with source_rows.bill_lines(of, view) as behind:
        found = behind.first()
    title = "Lines of the bill"
    if not found.count:
        return [plain_card(title, empty("No line of the bill", "Nothing was spent on this."))]
    order = "the largest first; the CSV has all"
    note = html.P(count_note(found.rows, found.count, order), className="note")
    basis = of.basis(view) or str((published.snapshot() or {})["basis"])
    body = [note, reconciliation(_sums(found), basis.capitalize()), grid(found.rows, title)]
    return [plain_card(title, html.Div(body), file)]


def _sums(found: FirstLines) -> list[tuple[str, Any]]:
    """Lists the steps from the sum of the bill's lines to the number, but for those of $0.00."""
    moved = (
        ("Part of shared lines that belongs to others", found.elsewhere),
        ("Part of idle commitments and machines that falls on GPUs or others", found.idle),
        (SPREAD if data_context().scope.everything else SPREAD_OR_HIDDEN, found.spread),
    )
    return [
        (f"{found.count:,} lines", found.lines),
        *[(name, value) for name, value in moved if value and round(value, 2)],
        ("Spend behind this number", found.number),
    ]


def _others(table: str, title: str, found: FirstLines) -> list[Component]:
    if not found.count:
        return [plain_card(title, empty("No row", "Nothing of this kind was delivered."))]
    note = html.P(count_note(found.rows, found.count, ORDERS[table]), className="note")
    return [plain_card(title, html.Div([note, grid(found.rows, title)]))]


def _file(number: str, query: dict[str, Any]) -> Component:
    href = f"/csv/source/{number}?{urlencode(query, doseq=True)}"
    return html.Div(html.A("CSV", href=href, className="action", download=""), className="actions")

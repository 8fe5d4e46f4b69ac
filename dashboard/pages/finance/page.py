"""Renders the Finance page: what a month saved, whether it ties to the bill, and closing it."""

from __future__ import annotations

from typing import Annotated, Any

from dash import Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from pydantic import AfterValidator

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.finance import closes_tables, conditions_tables, month_end, statement_tables
from dashboard.pages.finance.controls import (
    close_label,
    default_month,
    draw_close,
    draw_controls,
    month_options,
    obstacle_line,
    version_options,
)
from dashboard.pages.finance.wording import basis, closing_state, month_sentence
from dashboard.snapshot import published
from dashboard.snapshot.rows import Row
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty, notice
from dashboard.widgets.notices import notices
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import finance as explained
from dashboard.wording.format import month_name
from models.access.acting import actor, current_person
from models.contract.errors import BreakevenError, MissingDataError
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper

Choice = dict[str, str]
QUESTION = "What did the month save, and does it tie to the bill?"
MARTS = ("monthly_summary", "tie_out", "restatements", "runs", "baselines")
KINDS = {"xlsx": "Workbook", "pdf": "PDF", "csv": "CSV", "json": "JSON", "parquet": "Parquet"}


def _month(text: str | None) -> str | None:
    if View.parse({"month": text}).month != (text or ""):
        raise ValueError("not a month")
    return text


Month = Annotated[str | None, AfterValidator(_month)]
"""What the control of months sends."""
FILTERS = (
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_VERSION, "value"),
    Input(ids.FINANCE_AGAINST, "value"),
)


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Finance page for the URL's month, else the newest ended one."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.FINANCE_NEWS),
            dcc.Store(id=ids.FINANCE_CLOSED),
            html.Div(draw_controls(view), className="toolbar controls"),
            html.Div(draw(view), id=ids.FINANCE_BODY, className="page-part"),
            html.Div(draw_close(view), className="page-part", hidden=not may_act()),
            html.Div(draw_sql(), id=ids.FINANCE_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.FINANCE_BODY, "children"),
    *FILTERS,
    Input(ids.FINANCE_NEWS, "data"),
    Input(ids.FINANCE_CLOSED, "data"),
    prevent_initial_call=True,
)
def redraw(month: Month, version: str, against: str, _news: Any, _closed: Any) -> Any:  # noqa: ANN401
    """Redraws a month's statement on a new month, version, comparison, snapshot or close."""
    return draw(View.parse({"month": month, "version": version, "against": against}))


@callback(
    Output(ids.FINANCE_MONTH, "options"),
    Output(ids.FINANCE_VERSION, "options"),
    Output(ids.FINANCE_VERSION, "value"),
    Output(ids.FINANCE_AGAINST, "options"),
    Output(ids.FINANCE_AGAINST, "value"),
    Output(ids.FINANCE_CLOSE, "children"),
    Output(ids.FINANCE_AGAIN, "hidden"),
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_CLOSED, "data"),
    State(ids.FINANCE_VERSION, "value"),
    prevent_initial_call=True,
)
def choose(month: Month, _closed: Any, version: str) -> tuple[Any, ...]:  # noqa: ANN401
    """Updates the choices of month and version and the close form on a new month or close."""
    month = month or default_month()
    known, others = version_options(month), version_options(month, "Nothing")
    kept = version if version in {option["value"] for option in known} else ""
    return (
        month_options(),
        known,
        kept,
        others,
        "",
        close_label(month),
        not month_end.versions(month),
    )


@callback(
    Output(ids.FINANCE_OBSTACLES, "children"),
    Output(ids.FINANCE_FORM, "hidden"),
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_NEWS, "data"),
    Input(ids.FINANCE_CLOSED, "data"),
    prevent_initial_call=True,
)
def offer_close(month: Month, _news: Any, _closed: Any) -> tuple[str, bool]:  # noqa: ANN401
    """Shows the form to close the chosen month, or the reasons why it cannot be closed.

    Runs when another month is chosen, a snapshot is published or a month is closed.
    """
    line = obstacle_line(month or default_month())
    return line, bool(line)


@callback(
    Output(ids.FINANCE_SAID, "children"),
    Output(ids.FINANCE_CLOSED, "data"),
    Output(ids.FINANCE_REMAINDER, "value"),
    Output(ids.FINANCE_REASON, "value"),
    Input(ids.FINANCE_CLOSE, "n_clicks"),
    State(ids.FINANCE_MONTH, "value"),
    State(ids.FINANCE_REMAINDER, "value"),
    State(ids.FINANCE_REASON, "value"),
    running=[(Output(ids.FINANCE_CLOSE, "disabled"), True, False)],
    prevent_initial_call=True,
)
def close(_clicks: int, month: Month, remainder: str | None, reason: str | None) -> tuple[Any, ...]:
    """Closes the month in the reader's name and says its version, or what prevents it."""
    words = ((text or "").strip() for text in (remainder, reason))
    try:
        made = month_end.close(month or default_month(), actor().who, *words)
    except BreakevenError as error:
        kept = [notice("Not closed", line, "bad") for line in error.lines]
        return kept, no_update, no_update, no_update
    sentence_text = (
        f"{month_name(made.month)} is version {made.version}, sha256 {made.statement.sha256}."
    )
    return notice("Closed", sentence_text, "quiet"), f"{made.month} {made.version}", "", ""


@once_published(nothing_published)
def draw(view: View) -> list[Component]:
    """Renders a month's statement with downloads, tie-out, adjustments, conditions and history."""
    month = view.month or default_month()
    try:
        made = month_end.paper(month, int(view.version) if view.version.isdigit() else None)
    except MissingDataError as error:
        return [
            headline(QUESTION, "There is no such statement."),
            empty("Nothing here", f"{error}"),
        ]
    whole = made.statement.row(PORTFOLIO)
    return [
        headline(QUESTION, month_sentence(made), closing_state(made)),
        basis_line(basis(made.statement.facts)),
        html.Div(_notices(whole, made.statement.edition), className="notices"),
        *([_downloads(made)] if may_act() else []),
        *_compared(view, made),
        *_tables(made),
        card(
            "What is not in the headline",
            statement_tables.not_in_headline(made.statement),
            explained.ASIDE,
        ),
        _conditions(made),
        _history(),
    ]


def _notices(whole: Row, edition: int) -> list[Component]:
    """Builds the warnings about a month, whose mean saving per unit is unknown."""
    return notices({**whole, "saving_per_epoch": None}, edition)


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Finance page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def _tables(made: Paper) -> list[Component]:
    tables = made.statement.tables
    moved = tables["adjustments"]
    since = statement_tables.to_date(tables["to_date"], made.statement.facts)
    tied = statement_tables.tie_out(tables["tie_out"])
    none = empty(
        "No adjustment is due in this month",
        "If AWS restates a closed month, the change is listed in the first open month after it.",
        "check",
    )
    return [
        card(
            "The month by workload", statement_tables.summary(made.statement), explained.STATEMENT
        ),
        card("Fiscal period to date", since, explained.TO_DATE),
        card("Tie-out to the bill", tied, explained.TIE_OUT),
        card(
            "Adjustments of closed months",
            statement_tables.adjustments(moved) if moved else none,
            explained.ADJUSTMENTS,
        ),
    ]


def may_act() -> bool:
    """Returns whether the reader may close months and download statements."""
    return current_person().may("finance")


def _downloads(made: Paper) -> Component:
    version = f"?version={made.close.version}" if made.close else ""
    links = [
        html.A(
            name,
            href=f"/statement/{made.statement.month}.{kind}{version}",
            className="action",
            download="",
        )
        for kind, name in KINDS.items()
    ]
    return html.Div(links, className="actions")


def _compared(view: View, made: Paper) -> list[Component]:
    if not view.against.isdigit() or made.close is None:
        return []
    month, version = made.statement.month, made.close.version
    title = f"Changes from version {view.against} to version {version}"
    try:
        found = month_end.version_differences(month, version, int(view.against))
    except MissingDataError as error:
        return [card(title, empty("Nothing here", f"{error}"), explained.VERSIONS)]
    same = empty("Nothing", "Both versions are the same.", "check")
    return [card(title, closes_tables.differences(found) if found else same, explained.VERSIONS)]


def _conditions(made: Paper) -> Component:
    if made.close:
        held = conditions_tables.conditions_at_close(made.close)
        return card("Conditions when it was closed", held, explained.CONDITIONS)
    found = conditions_tables.conditions(month_end.open_conditions(made))
    return card("Conditions for closing it", found, explained.CONDITIONS)


def _history() -> Component:
    closes = month_end.closes()
    none = empty("No month is closed yet", "A close freezes a month and what it was computed from.")
    return card("Closes", closes_tables.history(closes) if closes else none, explained.CLOSES)

"""Draws the statement of a month for the Finance page, and the SQL behind it."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from dashboard.address.view import View
from dashboard.pages.finance import closes_tables, conditions_tables, month_end, statement_tables
from dashboard.pages.finance.controls import default_month
from dashboard.pages.finance.not_in_headline import not_in_headline
from dashboard.pages.finance.wording import basis, closing_state, month_and_version, month_sentence
from dashboard.snapshot import published
from dashboard.snapshot.rows import Row
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.notices import notices
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import finance as explained
from models.access.acting import current_person
from models.contract.errors import MissingDataError
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper

QUESTION = "What did the month save, and does it tie to the bill?"
MARTS = ("monthly_summary", "tie_out", "restatements", "runs", "baselines")
KINDS = {"xlsx": "Workbook", "pdf": "PDF", "csv": "CSV", "json": "JSON", "parquet": "Parquet"}


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
        headline(
            QUESTION,
            month_sentence(made),
            closing_state(made),
            asked=month_and_version(made),
            closed=made.close is not None,
        ),
        basis_line(basis(made.statement.facts), waits=made.waiting.bill),
        html.Div(_notices(whole, made.statement.edition), className="notices"),
        *([_downloads(made)] if may_act() else []),
        *_compared(view, made),
        *_tables(made),
        card(
            "What is not in the headline",
            not_in_headline(made.statement),
            explained.ASIDE,
        ),
        _conditions(made),
        _history(),
    ]


def _notices(whole: Row, edition: int) -> list[Component]:
    """Builds the warnings about a month's figures; a month has no mean saving per unit."""
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
            "The month by workload",
            statement_tables.summary(made.statement, made.waiting.days),
            explained.STATEMENT,
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

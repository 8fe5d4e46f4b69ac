"""Finance: what did a month save, does it tie to the bill, and is it closed?"""

from __future__ import annotations

from typing import Any

from dash import Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from dashboard import ids, month_end, queries
from dashboard.components import explained, statement
from dashboard.components.attributes import data
from dashboard.components.card import card
from dashboard.components.controls import one_of
from dashboard.components.headline import headline, standing_on
from dashboard.components.marks import empty, notice
from dashboard.components.nothing import nothing_published
from dashboard.components.notices import notices
from dashboard.components.sql import sql_section
from dashboard.door import once_published
from dashboard.finance_sentences import month_sentence, stand
from dashboard.format import month_name
from dashboard.sent import callback
from dashboard.view import View
from models.contract.errors import BreakevenError, MissingDataError
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.records.columns import BUCKETS

Choice = dict[str, str]
QUESTION = "What did the month save, and does it tie to the bill?"
MARTS = ("monthly_summary", "tie_out", "restatements", "runs", "baselines")
KINDS = {"xlsx": "Workbook", "pdf": "PDF", "csv": "CSV", "json": "JSON", "parquet": "Parquet"}
FILTERS = (
    Input(ids.FINANCE_MONTH, "value"),
    Input(ids.FINANCE_VERSION, "value"),
    Input(ids.FINANCE_AGAINST, "value"),
)


def layout(**query: str) -> Component:
    """The month that the address names; else the newest that is over."""
    view = View.parse(query)
    return html.Div(
        [
            dcc.Store(id=ids.FINANCE_NEWS),
            dcc.Store(id=ids.FINANCE_CLOSED),
            html.Div(draw_controls(view), className="toolbar controls"),
            html.Div(draw(view), id=ids.FINANCE_BODY, className="page-part"),
            html.Div(draw_close(view), className="page-part"),
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
def redraw(month: str, version: str, against: str, _news: Any, _closed: Any) -> Any:  # noqa: ANN401
    """Another month or version, another snapshot, or a close."""
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
def choose(month: str, _closed: Any, version: str) -> tuple[Any, ...]:  # noqa: ANN401
    """The versions of another month; of the same one, where it was closed once more."""
    month = month or _default()
    known, others = _versions(month), _versions(month, "Nothing")
    kept = version if version in {option["value"] for option in known} else ""
    return _months(), known, kept, others, "", _button(month), not month_end.versions(month)


@callback(
    Output(ids.FINANCE_SAID, "children"),
    Output(ids.FINANCE_CLOSED, "data"),
    Output(ids.FINANCE_REMAINDER, "value"),
    Output(ids.FINANCE_REASON, "value"),
    Input(ids.FINANCE_CLOSE, "n_clicks"),
    State(ids.FINANCE_MONTH, "value"),
    State(ids.FINANCE_BY, "value"),
    State(ids.FINANCE_REMAINDER, "value"),
    State(ids.FINANCE_REASON, "value"),
    running=[(Output(ids.FINANCE_CLOSE, "disabled"), True, False)],
    prevent_initial_call=True,
)
def close(
    _clicks: int, month: str, by: str | None, remainder: str | None, reason: str | None
) -> tuple[Any, ...]:
    """Freezes the month, or says what keeps it from being closed; what was written then stays."""
    who, *words = ((text or "").strip() for text in (by, remainder, reason))
    if not who:
        told = notice("Who closes it", "Write your name: it stands in the close.")
        return told, no_update, no_update, no_update
    try:
        made = month_end.close(month or _default(), who, *words)
    except BreakevenError as error:
        kept = [notice("Not closed", line, "bad") for line in error.lines]
        return kept, no_update, no_update, no_update
    said = f"{month_name(made.month)} is version {made.version}, sha256 {made.statement.sha256}."
    return notice("Closed", said, "quiet"), f"{made.month} {made.version}", "", ""


@once_published()
def draw_controls(view: View) -> list[Component]:
    """Month, version, and the version to compare with."""
    month = view.month or _default()
    return [
        html.Span(hidden=True, **data(usual="month", value=_default())),
        _pick(ids.FINANCE_MONTH, "Month", _months(), month),
        _pick(ids.FINANCE_VERSION, "Version", _versions(month), view.version),
        _pick(ids.FINANCE_AGAINST, "Compare with", _versions(month, "Nothing"), view.against),
    ]


@once_published(nothing_published)
def draw(view: View) -> list[Component]:
    """The statement, and all that finance asks of it."""
    month = view.month or _default()
    try:
        made = month_end.paper(month, int(view.version) if view.version.isdigit() else None)
    except MissingDataError as error:
        return [
            headline(QUESTION, "There is no such statement."),
            empty("Nothing here", f"{error}"),
        ]
    whole = made.statement.row(PORTFOLIO)
    return [
        headline(QUESTION, month_sentence(made), stand(made)),
        standing_on(queries.snapshot() or {}),
        html.Div(notices({**whole, "saving_per_epoch": None}), className="notices"),
        _downloads(made),
        *_compared(view, made),
        *_tables(made),
        card("What is not in the headline", statement.aside(whole), explained.ASIDE),
        _conditions(made),
        _history(),
    ]


@once_published()
def draw_sql() -> Component:
    """What every explanation links to."""
    return sql_section(MARTS, queries.pulled_at())


def _tables(made: Paper) -> list[Component]:
    tables = made.statement.tables
    moved = tables["adjustments"]
    since = statement.to_date(tables["to_date"], made.statement.facts)
    tied = statement.tie_out(tables["tie_out"], BUCKETS)
    none = empty("No closed month has changed", "What AWS restates of one stands here.", "check")
    return [
        card("The month by workload", statement.summary(made.statement), explained.STATEMENT),
        card("Fiscal period to date", since, explained.TO_DATE),
        card("Tie-out to the bill", tied, explained.TIE_OUT),
        card(
            "Adjustments of closed months",
            statement.adjustments(moved) if moved else none,
            explained.ADJUSTMENTS,
        ),
    ]


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
    found = month_end.changed(month, version, int(view.against))
    title = f"What version {version} says otherwise than version {view.against}"
    same = empty("Nothing", "Both versions say the same.", "check")
    return [card(title, statement.differences(found) if found else same, explained.VERSIONS)]


def _conditions(made: Paper) -> Component:
    if made.close:
        held = statement.notes(made.close)
        return card("What held when it was closed", held, explained.CONDITIONS)
    found = statement.conditions(month_end.asked(made))
    return card("What must hold before it is closed", found, explained.CONDITIONS)


def _history() -> Component:
    closes = month_end.closes()
    none = empty("No month is closed yet", "A close freezes a month and what it was computed from.")
    return card("Closes", statement.history(closes) if closes else none, explained.CLOSES)


@once_published()
def draw_close(view: View) -> Component:
    """Who closes the month, what a remainder is, and why a closed one is opened again."""
    month = view.month or _default()
    fields = [
        _line(ids.FINANCE_BY, "Your name", 24),
        _line(ids.FINANCE_REMAINDER, "What a remainder is, if there is one", 36),
        html.Div(
            _line(ids.FINANCE_REASON, "Why it is opened again", 36),
            id=ids.FINANCE_AGAIN,
            hidden=not month_end.versions(month),
        ),
        html.Button(_button(month), id=ids.FINANCE_CLOSE, className="action"),
    ]
    body = [html.Div(fields, className="actions"), html.Div(id=ids.FINANCE_SAID, role="status")]
    return card("Close", html.Div(body), explained.CLOSE)


def _line(control: str, label: str, size: int) -> Component:
    box = dcc.Input(id=control, type="text", size=f"{size}")
    return html.Label([html.Span(label), box], className="control")


def _button(month: str) -> str:
    known = month_end.versions(month)
    if not known:
        return f"Close {month_name(month)}" if month else "Close"
    return f"Open {month_name(month)} again, as version {known[-1].version + 1}"


def _pick(
    control: dict[str, str], label: str, options: list[dict[str, str]], value: str
) -> Component:
    return one_of(control, label, {o["value"]: o["label"] for o in options}, value)


def _months() -> list[dict[str, str]]:
    closed = {close.month: close.version for close in month_end.closes()}
    return [
        {
            "value": month,
            "label": f"{month_name(month)} (version {closed[month]})"
            if month in closed
            else f"{month_name(month)} (open)",
        }
        for month in month_end.months()
    ]


def _versions(month: str, none: str = "The newest") -> list[dict[str, str]]:
    """Those of a month; empty stands for the newest, or for none."""
    known = [close.version for close in month_end.versions(month)]
    told = [{"value": f"{number}", "label": f"Version {number}"} for number in known]
    return [{"value": "", "label": none}, *told]


def _default() -> str:
    return month_end.default_month(month_end.months())

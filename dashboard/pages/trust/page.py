"""Renders the Trust page: whether the numbers can be relied on and tie to the bill."""

from __future__ import annotations

from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.trust import queries
from dashboard.pages.trust.audit_log import SHOWN, audit_log
from dashboard.pages.trust.cluster_coverage import coverage_list
from dashboard.pages.trust.ingest_log import pull_list
from dashboard.pages.trust.tables import left_out_list, restatement_list, source_list, tie_out_table
from dashboard.pages.trust.tiles import tiles
from dashboard.pages.trust.wording import EDITION_NOTE, trust_sentence
from dashboard.snapshot import published, unsettled
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.controls import choice, date_range
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.asked_for import asked_for
from dashboard.wording.explanations import trust as explained
from models.access.acting import current_person

QUESTION = "Can these numbers be relied on, and do they tie to the bill?"
MARTS = (
    "freshness",
    "tie_out",
    "restatements",
    "left_out_and_flagged",
    "allocation_coverage",
    "unsettled_spend",
    "accelerator_days",
    "break_even",
    "spend_daily",
)
TIED = {"billed": "Billed", "effective": "Effective"}


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Trust page, all parts drawn, from the address's query."""
    view = View.parse(query)
    tied = choice(ids.TRUST_TIED, "Basis", TIED, view.tied)
    actions = html.Div([tied, download("/csv/tie_out")], className="actions")
    tie_out = html.Div(draw_tie_out(view), id=ids.TRUST_TIE_OUT)
    restated = html.Div(draw_restated(view), id=ids.TRUST_RESTATED)
    left_out = html.Div(draw_left_out(), id=ids.TRUST_LEFT_OUT)
    clusters = html.Div(draw_clusters(view), id=ids.TRUST_CLUSTERS)
    return html.Div(
        [
            dcc.Store(id=ids.TRUST_NEW_SNAPSHOT),
            html.Div(date_range(ids.TRUST_DAYS, view), className="toolbar controls"),
            html.Div(draw_headline(view), id=ids.TRUST_HEADLINE, className="page-part"),
            card(
                "Sources",
                html.Div(draw_sources(), id=ids.TRUST_SOURCES),
                explained.TRUST_SOURCES,
            ),
            card("Tie-out to the bill", tie_out, explained.TRUST_TIE_OUT, actions),
            card("What AWS changed afterwards", restated, explained.RESTATED),
            card("Allocation coverage by cluster", clusters, explained.CLUSTER_COVERAGE),
            card("What the headline leaves out", left_out, explained.LEFT_OUT_ROWS),
            card("Ingest log", html.Div(draw_log(), id=ids.TRUST_LOG), explained.INGEST_LOG),
            html.Div(draw_audit(), id=ids.TRUST_AUDIT),
            html.Div(draw_sql(), id=ids.TRUST_SQL),
        ],
        className="page",
    )


@callback(
    Output(ids.TRUST_HEADLINE, "children"),
    Output(ids.TRUST_TIE_OUT, "children"),
    Output(ids.TRUST_RESTATED, "children"),
    Output(ids.TRUST_CLUSTERS, "children"),
    Input(ids.TRUST_DAYS, "start_date"),
    Input(ids.TRUST_DAYS, "end_date"),
    Input(ids.TRUST_TIED, "value"),
    Input(ids.TRUST_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def redraw(start: str | None, end: str | None, tied: str, _snapshot: str | None) -> tuple[Any, ...]:
    """Redraws Trust's sentence, tie-out, restatements, clusters on new range, basis or snapshot."""
    view = View.parse({"from": start, "to": end, "tied": tied})
    return draw_headline(view), draw_tie_out(view), draw_restated(view), draw_clusters(view)


@callback(
    Output(ids.TRUST_SOURCES, "children"),
    Output(ids.TRUST_LEFT_OUT, "children"),
    Output(ids.TRUST_LOG, "children"),
    Output(ids.TRUST_AUDIT, "children"),
    Output(ids.TRUST_SQL, "children"),
    Input(ids.TRUST_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)
def refresh(_snapshot: str | None) -> tuple[Any, ...]:
    """Redraws the Trust page's sources, exclusions and logs when a snapshot is published."""
    return draw_sources(), draw_left_out(), draw_log(), draw_audit(), draw_sql()


@once_published(nothing_published)
def draw_headline(view: View) -> list[Component]:
    """Renders in a sentence whether the numbers can be relied on, and four tiles."""
    snapshot, sources = published.snapshot() or {}, queries.sources()
    months, untagged = queries.tie_out(view), queries.untagged_share()
    waits = unsettled.waiting()
    sentence = trust_sentence(snapshot, months, untagged, waits.allocations)
    return [
        headline(QUESTION, sentence, asked=asked_for(view, {})),
        basis_line(snapshot, None, published.restated(), waits.bill),
        html.P(EDITION_NOTE, className="note"),
        tiles(snapshot, sources, months, untagged),
    ]


@once_published()
def draw_sources() -> Component:
    """Renders the table of how fresh each source is, and why it is stale."""
    return source_list(queries.sources())


@once_published()
def draw_tie_out(view: View) -> Component:
    """Renders the table of each month's cost buckets against its bill."""
    return tie_out_table(queries.tie_out(view))


@once_published()
def draw_restated(view: View) -> Component:
    """Renders the table of bills that AWS delivered again with another total."""
    return restatement_list(queries.restatements(view))


@once_published()
def draw_clusters(view: View) -> Component:
    """Renders the table of how many hours of each cluster allocations explain, by month."""
    return coverage_list(queries.cluster_coverage(view))


@once_published()
def draw_left_out() -> Component:
    """Renders the table of savings that are not counted, or counted with a flag."""
    return left_out_list(queries.workloads())


@once_published()
def draw_log() -> Component:
    """Renders the table of the newest pulls and what they delivered."""
    return pull_list(queries.pulls())


def draw_audit() -> Component | None:
    """Renders the section of the audit log for admins; nothing for anybody else."""
    return audit_log(queries.audit_lines(SHOWN)) if current_person().may("admin") else None


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Trust page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())

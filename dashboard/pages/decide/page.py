"""Renders the Decide page: when a move would pay for itself, and which workload to move next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import EFFORTS, Assumptions
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.buying.section import buying_card
from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.factor import Factor
from dashboard.pages.decide.checklist.factors import factors
from dashboard.pages.decide.checklist.facts import Facts, SentFacts
from dashboard.pages.decide.checklist.table import checklist, lean_of_each, verdict_summary
from dashboard.pages.decide.controls import BOXES, effort_boxes, sliders
from dashboard.pages.decide.evidence.section import alternative_card, benchmark_card
from dashboard.pages.decide.moved_and_unmoved import (
    MovedAndUnmoved,
    ranked_prospects,
    read_moved_and_unmoved,
)
from dashboard.pages.decide.outcome import outcome_table
from dashboard.pages.decide.ranking.prospects import saving_share
from dashboard.pages.decide.ranking.table import effort_sources, prospects_table
from dashboard.pages.decide.sliders import placeholder
from dashboard.pages.decide.what_if import (
    assumptions_made,
    outcome_of,
    starting_point_of,
    what_if_curve,
)
from dashboard.pages.decide.wording import as_entered, shares_note, what_if_sentence
from dashboard.snapshot import break_even, published
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.attributes import data
from dashboard.widgets.card import card
from dashboard.widgets.controls import one_of
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import not_found, nothing_published
from dashboard.widgets.serialisation import callback
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.explanations import decide as explained
from models.config.refusals.unknown_keys import known_names
from models.contract.rules.not_moved_yet import NOT_MOVED_YET

QUESTION = "When would a move to Trainium pay for itself?"
MARTS = (
    "baselines",
    "savings_daily",
    "break_even",
    "recent_windows",
    "investments",
    "runs",
    "price_history",
    "committed_rates",
    "spend_daily",
    "benchmarks",
    "alternatives",
)
DAYS = ("least", "most")
CHECKED = {name: {"page": ids.DECIDE, "choice": name} for name in ids.DECIDE_CHECKED}


def layout(**query: str) -> Component:
    """Builds the Dash layout of the Decide page, all parts drawn, from the address's query."""
    return html.Div(
        [
            dcc.Store(id=ids.DECIDE_NEW_SNAPSHOT),
            dcc.Store(id=ids.DECIDE_AGAIN),
            html.Div(draw_body(query), id=ids.DECIDE_BODY, className="page-part"),
            html.Div(draw_sql(), id=ids.DECIDE_SQL),
        ],
        className="page",
    )


clientside_callback(
    ClientsideFunction("breakeven", "asked"),
    Output(ids.DECIDE_AGAIN, "data"),
    Input(ids.DECIDE_NEW_SNAPSHOT, "data"),
    prevent_initial_call=True,
)


clientside_callback(
    ClientsideFunction("breakeven", "decide"),
    Input(ids.DECIDE_WORKLOAD, "value"),
    prevent_initial_call=True,
)


clientside_callback(
    ClientsideFunction("breakeven", "slid"),
    *(Input(BOXES[name], "value") for name in ids.DECIDE_ASKED),
    prevent_initial_call=True,
)


@callback(
    Output(ids.DECIDE_BODY, "children"),
    Output(ids.DECIDE_SQL, "children"),
    Input(ids.DECIDE_AGAIN, "data"),
    prevent_initial_call=True,
)
def refresh(query: dict[str, str] | None) -> tuple[Any, Any]:
    """Redraws Decide's body and its section of SQL when another snapshot is published."""
    return draw_body(query or {}), draw_sql()


@callback(
    Output(ids.DECIDE_HEADLINE, "children"),
    Output(ids.DECIDE_RESULT, "children"),
    Output(ids.DECIDE_RANKED, "children"),
    Output(ids.DECIDE_VERDICT, "children"),
    *(Output(each, "children") for each in ids.DECIDE_LEANS.values()),
    *(Output(BOXES[name], "placeholder") for name in DAYS),
    State(ids.DECIDE_OF, "data"),
    State(ids.DECIDE_FACTS, "data"),
    *(Input(box, "value") for box in {**BOXES, **CHECKED}.values()),
    prevent_initial_call=True,
)
def redraw(workload: str, facts: SentFacts, *values: str | None) -> tuple[Any, ...]:
    """Redraws Decide's sentence, what-if, checklist and ranking when the reader enters a value."""
    query = {"workload": workload, **dict(zip({**BOXES, **CHECKED}, values, strict=True))}
    asked = Assumptions.parse(query)
    answer, figures, made, ranked = draw_answer(asked, Answers.parse(query), Facts.from_json(facts))
    leans = lean_of_each(made or ())
    drawn = (leans.get(name) for name in ids.DECIDE_LEANS)
    days = (placeholder(each) for each in EFFORTS[asked.effort])
    return answer, figures, ranked, verdict_summary(made) if made else None, *drawn, *days


@once_published(nothing_published)
def draw_body(query: dict[str, Any]) -> Component | list[Component]:
    """Renders Decide: what-if, benchmarks, other GPUs, checklist, ways to buy, ranking."""
    asked, answers = Assumptions.parse(query), Answers.parse(query)
    names = list(break_even.statuses())
    if not names:
        return empty("No workload is known", "Charges must name workloads: see the Overview.")
    of = read_moved_and_unmoved()
    known = replace(asked, workload=chosen(asked, names, of))
    if known.workload not in names:
        return not_found(
            f"No workload is called {known.workload}",
            f"See the list on the Overview ({known_names(known.workload, names)}).",
        )
    pick = one_of(ids.DECIDE_WORKLOAD, "Workload", {name: name for name in names}, known.workload)
    facts = _facts(known.workload, of)
    answer, figures, made, rows = _drawn(known, answers, facts, of)
    result = html.Div(figures, id=ids.DECIDE_RESULT)
    both = html.Div(
        [html.Div(sliders(known, of), className="sliders"), result], className="what-if"
    )
    ranked = html.Div(rows, id=ids.DECIDE_RANKED)
    return [
        html.Span(hidden=True, **data(usual="workload", value=known.workload)),
        dcc.Store(id=ids.DECIDE_OF, data=known.workload),
        dcc.Store(id=ids.DECIDE_FACTS, data=facts.to_json()),
        html.Div(pick, className="toolbar controls"),
        html.Div(answer, id=ids.DECIDE_HEADLINE, className="page-part"),
        card("What if", both, explained.WHAT_IF),
        benchmark_card(known.workload),
        alternative_card(known.workload),
        card("The checklist", _checklist(answers, made), explained.CHECKLIST),
        buying_card(known.workload, PurchaseAssumptions.parse(query)),
        card(
            "GPU workloads not yet moved",
            html.Div([effort_boxes(known, of), ranked, effort_sources()]),
            explained.PROSPECTS,
        ),
    ]


def chosen(asked: Assumptions, names: list[str], of: MovedAndUnmoved) -> str:
    """Returns the name of the workload in the URL, else of the one to move next, else the first."""
    if asked.workload:
        return asked.workload
    next_one = ranked_prospects(asked, of)
    return next_one[0].workload if next_one else names[0]


def draw_answer(asked: Assumptions, answers: Answers, facts: Facts) -> tuple[Any, ...]:
    """Returns Decide's sentence, figures, factors and ranking, or that nothing is published."""
    found = draw_all(asked, answers, facts)
    return found if isinstance(found, tuple) else (found, None, None, None)


@once_published(nothing_published)
def draw_all(asked: Assumptions, answers: Answers, facts: Facts) -> tuple[Any, ...]:
    """Returns Decide's sentence, figures, checklist factors and ranking, from the snapshot."""
    return _drawn(asked, answers, facts, read_moved_and_unmoved())


def _drawn(
    asked: Assumptions, answers: Answers, facts: Facts, of: MovedAndUnmoved
) -> tuple[list[Component], list[Component], list[Factor], list[Component]]:
    """Computes a what-if; returns its sentence, figures, checklist factors and the ranking."""
    own, moved = starting_point_of(asked.workload, of)
    migration, found = outcome_of(asked, own)
    answer = what_if_sentence(
        asked.workload, found, assumptions_made(asked, own, moved, of), own.status
    )
    parts = [
        headline(QUESTION, answer, asked=as_entered(asked)),
        basis_line(published.snapshot() or {}),
    ]
    figures = [what_if_curve(migration, found), outcome_table(migration, found)]
    return parts, figures, factors(migration, found, answers, facts), _next(asked, of)


def _next(asked: Assumptions, of: MovedAndUnmoved) -> list[Component]:
    """Renders the ranking of workloads to move, and where the expected saving comes from."""
    note = shares_note(
        saving_share(of.moved, asked),
        len(of.moved),
        sum(row["parity"] == "unverified" for row in of.moved),
        asked.share is not None,
    )
    return [html.P(note, className="note"), prospects_table(ranked_prospects(asked, of), asked)]


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Decide page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def _facts(workload: str, of: MovedAndUnmoved) -> Facts:
    standing = break_even.standing(workload) or {}
    moved = standing.get("status") not in NOT_MOVED_YET
    return Facts.from_rows(queries.checklist(workload), moved, of.moved)


def _checklist(answers: Answers, made: Sequence[Factor]) -> Component:
    lines = checklist(answers, lean_of_each(made))
    return html.Div(
        [html.Div(verdict_summary(made) if made else None, id=ids.DECIDE_VERDICT), lines]
    )

"""Decide: when a move would pay for itself, and which workload to move next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html
from dash.development.base_component import Component

from dashboard import ids, queries
from dashboard.assumptions import EFFORTS, HUNDRED, Assumptions
from dashboard.buying import Buying
from dashboard.checklist import Answers, Factor, Facts, factors
from dashboard.components import explained
from dashboard.components.card import card, chart
from dashboard.components.checklist import checklist, leaning, summed
from dashboard.components.controls import choice, one_of
from dashboard.components.headline import headline, standing_on
from dashboard.components.marks import empty
from dashboard.components.nothing import not_found, nothing_published
from dashboard.components.outcome import outcome_table
from dashboard.components.prospects import prospects_table, sources
from dashboard.components.sliders import Slid, number_box, slider, standing
from dashboard.components.sql import sql_section
from dashboard.decide_sentences import (
    ASK,
    CONFIGURED,
    FROM_MOVED,
    PACE,
    SPENT,
    TODAY,
    TRN_CHANGE,
    UNCHANGED,
    decided,
    shares_note,
)
from dashboard.door import once_published
from dashboard.figures.what_if import what_if as drawn_what_if
from dashboard.format import dollars, percent, sentence
from dashboard.pages.decide_buying import buying_card
from dashboard.prospects import Prospect, prospects, shares, unmoved_point
from dashboard.sent import callback
from models.forecast.starting_point import StartingPoint, assumed
from models.forecast.what_if import HORIZON, Migration, Outcome, what_if

D = Decimal
Row = dict[str, Any]
QUESTION = "When would a move to Trainium pay for itself?"
MARTS = (
    "baselines",
    "savings_daily",
    "break_even",
    "paces",
    "runs",
    "price_history",
    "committed_rates",
    "spend_daily",
)
NAMES = tuple(each.name for each in fields(Assumptions) if each.name != "workload")
CLASSES = {"": "Not said", "days": "Days", "weeks": "Weeks", "months": "Months"}
BOXES = {name: {"page": ids.DECIDE, "choice": name} for name in NAMES}
DAYS = ("least", "most")
CHECKED = {name: {"page": ids.DECIDE, "choice": name} for name in ids.DECIDE_CHECKED}


@dataclass(frozen=True)
class Company:
    """What every part of the page reads: workloads not yet moved, and what the moved ones saved."""

    unmoved: list[Row]
    moved: list[Row]


def company() -> Company:
    """Asked once for a whole answer."""
    return Company(queries.unmoved(), queries.moved_shares())


def layout(**query: str) -> Component:
    """The whole page in one answer."""
    return html.Div(
        [
            dcc.Store(id=ids.DECIDE_NEWS),
            dcc.Store(id=ids.DECIDE_AGAIN),
            html.Div(draw_body(query), id=ids.DECIDE_BODY, className="page-part"),
            html.Div(draw_sql(), id=ids.DECIDE_SQL),
        ],
        className="page",
    )


clientside_callback(
    ClientsideFunction("breakeven", "asked"),
    Output(ids.DECIDE_AGAIN, "data"),
    Input(ids.DECIDE_NEWS, "data"),
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
    """Another snapshot was published: all of it again, as the address asks."""
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
def redraw(workload: str, facts: dict[str, Any], *said: str | None) -> tuple[Any, ...]:
    """Something else is assumed, or answered."""
    query = {"workload": workload, **dict(zip({**BOXES, **CHECKED}, said, strict=True))}
    asked = Assumptions.parse(query)
    told, figures, made, ranked = draw_answer(asked, Answers.parse(query), Facts.kept(facts))
    leans = leaning(made or ())
    drawn = (leans.get(name) for name in ids.DECIDE_LEANS)
    days = (standing(each) for each in EFFORTS[asked.effort])
    return told, figures, ranked, summed(made) if made else None, *drawn, *days


@once_published(nothing_published)
def draw_body(query: dict[str, Any]) -> Component | list[Component]:
    """Answer, sliders, curve, ways to buy, ranking and checklist."""
    asked, answers = Assumptions.parse(query), Answers.parse(query)
    names = list(queries.statuses())
    if not names:
        return empty("No workload is known", "Charges must name workloads: see the Overview.")
    of = company()
    known = replace(asked, workload=chosen(asked, names, of))
    if known.workload not in names:
        return not_found(f"No workload is called {known.workload}", "See the list on the Overview.")
    pick = one_of(ids.DECIDE_WORKLOAD, "Workload", {name: name for name in names}, known.workload)
    facts = _facts(known.workload, of)
    told, figures, made, rows = _drawn(known, answers, facts, of)
    result = html.Div(figures, id=ids.DECIDE_RESULT)
    both = html.Div(
        [html.Div(_sliders(known, of), className="sliders"), result], className="what-if"
    )
    ranked = html.Div(rows, id=ids.DECIDE_RANKED)
    return [
        dcc.Store(id=ids.DECIDE_OF, data=known.workload),
        dcc.Store(id=ids.DECIDE_FACTS, data=facts.sent()),
        html.Div(pick, className="toolbar controls"),
        html.Div(told, id=ids.DECIDE_HEADLINE, className="page-part"),
        card("What if", both, explained.WHAT_IF),
        card("The checklist", _checklist(answers, made), explained.CHECKLIST),
        buying_card(known.workload, Buying.parse(query)),
        card(
            "GPU workloads not yet moved",
            html.Div([_effort(known, of), ranked, sources()]),
            explained.PROSPECTS,
        ),
    ]


def chosen(asked: Assumptions, names: list[str], of: Company) -> str:
    """The asked one; else the one to move next; else the first."""
    if asked.workload:
        return asked.workload
    next_one = _ranked(asked, of)
    return next_one[0].workload if next_one else names[0]


def draw_answer(asked: Assumptions, answers: Answers, facts: Facts) -> tuple[Any, ...]:
    """Sentence, figures, factors, ranking: one question, so that they cannot disagree."""
    found = draw_all(asked, answers, facts)
    return found if isinstance(found, tuple) else (found, None, None, None)


@once_published(nothing_published)
def draw_all(asked: Assumptions, answers: Answers, facts: Facts) -> tuple[Any, ...]:
    """As the snapshot of this moment has it."""
    return _drawn(asked, answers, facts, company())


def _drawn(
    asked: Assumptions, answers: Answers, facts: Facts, of: Company
) -> tuple[list[Component], list[Component], list[Factor], list[Component]]:
    """When this one pays for itself, what that rests on, what else speaks for it; what is next."""
    own, moved = _point(asked.workload, of)
    migration, found = _outcome(asked, own)
    said = decided(asked.workload, found, _resting_on(asked, own, moved, of), own.status)
    told = [headline(QUESTION, said), standing_on(queries.snapshot() or {})]
    figures = [_curve(migration, found), outcome_table(migration, found)]
    return told, figures, factors(migration, found, answers, facts), _next(asked, of)


def _next(asked: Assumptions, of: Company) -> list[Component]:
    """What to move next, and from where the expected saving comes."""
    note = shares_note(
        shares(of.moved, asked),
        len(of.moved),
        sum(row["parity"] == "unverified" for row in of.moved),
        asked.share is not None,
    )
    return [html.P(note, className="note"), prospects_table(_ranked(asked, of), asked)]


@once_published()
def draw_sql() -> Component:
    """What every explanation links to."""
    return sql_section(MARTS, queries.pulled_at())


def _facts(workload: str, of: Company) -> Facts:
    standing = queries.standing(workload) or {}
    moved = standing.get("status") not in queries.MOVING
    return Facts.read(queries.checklist(workload), moved, of.moved)


def _checklist(answers: Answers, made: Sequence[Factor]) -> Component:
    lines = checklist(answers, leaning(made))
    return html.Div([html.Div(summed(made) if made else None, id=ids.DECIDE_VERDICT), lines])


def _ranked(asked: Assumptions, of: Company) -> list[Prospect]:
    rate = queries.day_rate() if asked.rate is None else asked.rate
    return prospects(of.unmoved, shares(of.moved, asked), asked, rate)


def _outcome(asked: Assumptions, own: StartingPoint) -> tuple[Migration, Outcome]:
    given = {
        "gpu_cost_per_run": asked.gpu,
        "trn_cost_per_run": asked.trn,
        "runs_per_month": asked.runs,
        "porting_cost": asked.port,
        "upkeep_per_month": asked.upkeep,
        "gpu_price_change": fraction(asked.gpu_price),
        "trn_price_change": fraction(asked.trn_price),
    }
    migration = assumed(given, own, HORIZON)
    return migration, what_if(migration)


def _point(workload: str, of: Company) -> tuple[StartingPoint, bool]:
    """The workload's own figures, and whether it has moved."""
    for row in of.unmoved:
        if row["workload"] == workload:
            return unmoved_point(row, shares(of.moved, Assumptions())), False
    return queries.starting_point(workload), True


def _resting_on(asked: Assumptions, own: StartingPoint, moved: bool, of: Company) -> list[str]:
    """What the answer takes for granted of a workload that has not moved."""
    saved = None if moved else shares(of.moved, Assumptions())
    told = []
    if not moved and asked.trn is None and saved:
        told.append(f"it saves the {percent(saved[1], 1)} that moved workloads here saved")
    if not moved and asked.port is None and own.porting_cost:
        told.append(f"the {dollars(own.porting_cost)} spent so far is all that it takes")
    return told


def _sliders(asked: Assumptions, of: Company) -> list[Component]:
    own, moved = _point(asked.workload, of)
    today = assumed({}, own, HORIZON)
    trn = TODAY if moved else FROM_MOVED
    rows = (
        ("runs", "Runs a month", today.runs_per_month, PACE, D(20)),
        ("gpu", "A run on GPU, $", today.gpu_cost_per_run, TODAY, D(10000)),
        ("trn", "A run on Trainium, $", today.trn_cost_per_run, trn, D(10000)),
        ("port", "Cost of the move, $", today.porting_cost, SPENT, D(200000)),
        ("upkeep", "Upkeep a month, $", today.upkeep_per_month, CONFIGURED, D(5000)),
    )
    slid = [
        Slid(name, label, known, getattr(asked, name), ASK if known is None else source, top)
        for name, label, known, source, top in rows
    ]
    for name, label in (("gpu_price", "GPU price change, %"), ("trn_price", TRN_CHANGE)):
        said = getattr(asked, name)
        slid.append(Slid(name, label, D(0), said, UNCHANGED, HUNDRED, -HUNDRED))
    return [slider(ids.DECIDE, each) for each in slid]


def _effort(asked: Assumptions, of: Company) -> Component:
    """What a port is assumed to take; the ranking's, not the sliders'."""
    days = EFFORTS[asked.effort]
    saved = shares(of.moved, Assumptions())
    boxes = (
        ("least", "Days, at least", days[0]),
        ("most", "Days, at most", days[1]),
        ("rate", "A day costs, $", queries.day_rate()),
        ("share", "Saves of the GPU cost, %", saved and saved[1] * HUNDRED),
    )
    said = [number_box(ids.DECIDE, n, label, getattr(asked, n), own) for n, label, own in boxes]
    pick = choice(BOXES["effort"], "Porting effort", CLASSES, asked.effort)
    return html.Div([html.Span("Porting effort"), pick, *said], className="toolbar controls effort")


def _curve(asked: Migration, found: Outcome) -> Component:
    if found.net_per_month is None or asked.porting_cost is None or asked.saved_so_far is None:
        return empty("No curve yet", sentence(found.reason))
    start = asked.saved_so_far - asked.porting_cost
    figure = drawn_what_if(start, found.net_per_month, asked.months, found.payback_months)
    words = "What is left of the move, month by month, if it goes on like this."
    return chart(figure, words, f"Straight ahead for {HORIZON} months: no forecast, an assumption.")


def fraction(per_cent: Decimal | None) -> Decimal | None:
    """-33 for -0.33."""
    return None if per_cent is None else per_cent / HUNDRED

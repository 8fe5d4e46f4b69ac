"""Renders the nine factors of the checklist with their questions, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from dash import html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.pages.decide.checklist.answers import CHOICES, NUMBERS, Answers
from dashboard.pages.decide.checklist.factor import GPU, NEITHER, OPEN, TITLES, TRAINIUM, Factor
from dashboard.pages.decide.checklist.verdict import verdict
from dashboard.pages.decide.sliders import number_box
from dashboard.widgets.controls import choice
from dashboard.widgets.indicators import hardware_name
from models.forecast.horizon import MONTHS as HORIZON

WORDS = {NEITHER: "Leans to neither", OPEN: "Open"}
BOXES = {
    "budget": ("Budget, $", None),
    "horizon": ("Look ahead, months", Decimal(HORIZON)),
}
RULE = (
    "How they are combined: if the move does not pay for itself within the horizon, the answer is "
    "GPU. If it does, a need for another cloud still makes it GPU, and more factors for GPU than "
    "for Trainium make it neither. Spend, pattern and horizon come from one calculation and count "
    "as one factor. An open factor is not counted. No other weights are used."
)


def checklist(answers: Answers, leans: Mapping[str, list[Component]]) -> Component:
    """Builds the HTML list of the nine factors: each with its question and what it leans to."""
    lines = [
        html.Li(
            [
                html.Div([html.H3(title), _question(name, answers)], className="asked"),
                html.Div(leans.get(name), id=ids.DECIDE_LEANS[name], className="lean"),
            ]
        )
        for name, title in TITLES.items()
    ]
    return html.Ol(lines, className="factors")


def lean_of_each(made: Sequence[Factor]) -> dict[str, list[Component]]:
    """Maps each factor's name to what is rendered of it: what it leans to, why, the threshold."""
    return {each.name: _lean(each) for each in made}


def verdict_summary(made: Sequence[Factor]) -> Component:
    """Renders the verdict over all factors, why, and how many lean to Trainium, GPU or neither."""
    lean, why = verdict(made)
    many = {
        kind: sum(each.lean == kind for each in made) for kind in (TRAINIUM, GPU, NEITHER, OPEN)
    }
    text = (
        f"{many[TRAINIUM]} of {len(made)} factors lean to Trainium, {many[GPU]} to GPU, "
        f"{many[NEITHER]} to neither; {many[OPEN]} are open."
    )
    return html.Div(
        [
            html.P([html.Strong([_towards(lean), ". "]), why], className="verdict"),
            html.P(f"{text} {RULE}", className="note"),
        ]
    )


def _question(name: str, answers: Answers) -> Component | None:
    if name in CHOICES:
        box = {"page": ids.DECIDE, "choice": name}
        return choice(box, TITLES[name], CHOICES[name], getattr(answers, name))
    if name in NUMBERS:
        label, own = BOXES[name]
        return number_box(ids.DECIDE, name, label, getattr(answers, name), own)
    return html.P("From the what-if above.", className="answer")


def _lean(of: Factor) -> list[Component]:
    answer = html.Span(f"{of.answer} ") if of.answer else None
    return [
        html.Strong(_towards(of.lean)),
        html.P([answer, of.reason]),
        html.P(["Threshold: ", of.threshold], className="note"),
    ]


def _towards(lean: str) -> Component | str:
    return WORDS[lean] if lean in WORDS else html.Span(["Leans to ", hardware_name(lean)])

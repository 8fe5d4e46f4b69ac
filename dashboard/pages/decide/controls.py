"""Builds the sliders of the what-if and the inputs of the porting effort."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal

from dash import html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import CHANGES, EFFORTS, HUNDRED, Assumptions
from dashboard.pages.decide.moved_and_unmoved import MovedAndUnmoved
from dashboard.pages.decide.ranking.prospects import saving_share
from dashboard.pages.decide.sliders import Slider, number_box, slider
from dashboard.pages.decide.what_if import starting_point_of
from dashboard.pages.decide.wording import (
    ASK,
    CONFIGURED,
    FIGURES,
    FROM_MOVED,
    PACE,
    PLANNED,
    SPENT,
    TODAY,
    UNCHANGED,
)
from dashboard.widgets.controls import choice
from models.forecast.assumptions import assumed
from models.forecast.horizon import MONTHS as HORIZON

D = Decimal
NAMES = tuple(each.name for each in fields(Assumptions) if each.name != "workload")
BOXES = {name: {"page": ids.DECIDE, "choice": name} for name in NAMES}
CLASSES = {"": "Not set", "days": "Days", "weeks": "Weeks", "months": "Months"}


def sliders(asked: Assumptions, of: MovedAndUnmoved) -> list[Component]:
    """Builds the what-if's sliders: at the reader's values, else at the workload's figures."""
    own, moved = starting_point_of(asked.workload, of)
    today = assumed({}, own, HORIZON)
    trn = TODAY if moved else FROM_MOVED
    port = PLANNED if own.planned_port and not moved else SPENT
    rows = (
        ("runs", today.runs_per_month, PACE, D(20)),
        ("gpu", today.gpu_cost_per_run, TODAY, D(10000)),
        ("trn", today.trn_cost_per_run, trn, D(10000)),
        ("port", today.porting_cost, port, D(200000)),
        ("upkeep", today.upkeep_per_month, CONFIGURED, D(5000)),
    )
    slid = [
        Slider(
            name, FIGURES[name], known, getattr(asked, name), ASK if known is None else source, top
        )
        for name, known, source, top in rows
    ]
    for name in CHANGES:
        chosen = getattr(asked, name)
        slid.append(Slider(name, FIGURES[name], D(0), chosen, UNCHANGED, HUNDRED, -HUNDRED))
    return [slider(ids.DECIDE, each) for each in slid]


def effort_boxes(asked: Assumptions, of: MovedAndUnmoved) -> Component:
    """Builds the inputs for a port's effort: days, day rate, saving; they change the ranking."""
    days = EFFORTS[asked.effort]
    saved = saving_share(of.moved, Assumptions())
    boxes = (
        ("least", "Days, at least", days[0]),
        ("most", "Days, at most", days[1]),
        ("rate", "A day costs, $", queries.day_rate()),
        ("share", "Saving of the GPU cost, %", saved and saved[1] * HUNDRED),
    )
    parts = [number_box(ids.DECIDE, n, label, getattr(asked, n), own) for n, label, own in boxes]
    pick = choice(BOXES["effort"], "Porting effort", CLASSES, asked.effort)
    return html.Div(
        [html.Span("Porting effort"), pick, *parts], className="toolbar controls effort"
    )

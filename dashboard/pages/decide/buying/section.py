"""Renders the section "Ways to buy" of Decide: the ways to buy a machine's hours."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dash import Input, Output, State, html, no_update
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.pages.decide.assumptions import HUNDRED
from dashboard.pages.decide.buying import queries
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.buying.machine import NO_FACTS, MachineFacts
from dashboard.pages.decide.buying.purchase_options import purchase_options
from dashboard.pages.decide.buying.table import side_by_side
from dashboard.pages.decide.buying.wording import LAST, cheapest_sentence, use_note
from dashboard.pages.decide.sliders import number_box, placeholder
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.controls import one_of
from dashboard.widgets.indicators import empty
from dashboard.widgets.serialisation import callback
from dashboard.wording.explanations import decide as explained

Row = dict[str, Any]
USUAL = "usual"
"""Value of the `machine` parameter for the machine most used lately; also the default."""
BOXES = {name: {"page": ids.DECIDE, "choice": name} for name in ids.DECIDE_BUYING}


def buying_card(workload: str, asked: PurchaseAssumptions) -> Component:
    """Renders the section "Ways to buy" of the Decide page: machine and purchase options."""
    machines = queries.machines(workload)
    body = _side_by_side(workload, machines, asked)
    return card("Ways to buy", html.Div(body), explained.BUYING)


NO_MACHINE = empty(
    "No machine of this workload is on the bill",
    "What it trains on is known once a charge with accelerator-hours names the workload.",
)
NOT_KNOWN = empty(
    "This machine is not known here",
    "This workload has no hours on it, and its price in this workload's regions is unknown: choose "
    "another from the list.",
)


@callback(
    Output(ids.DECIDE_WAYS, "children"),
    Output(BOXES["hours"], "placeholder"),
    Output(BOXES["used"], "placeholder"),
    State(ids.DECIDE_OF, "data"),
    *(Input(box, "value") for box in BOXES.values()),
    prevent_initial_call=True,
)
def redraw(workload: str, *values: str | None) -> tuple[Any, Any, Any]:
    """Redraws the ways to buy and the grey default figures when machine, hours or use change."""
    asked = PurchaseAssumptions.parse(dict(zip(BOXES, values, strict=True)))
    found = chosen_machine(workload, asked)
    if not isinstance(found, tuple):
        return None, no_update, no_update
    machine, of = found
    return _options(machine, of, asked), placeholder(of.hours), placeholder(_per_cent(of.usual_use))


@once_published()
def chosen_machine(workload: str, asked: PurchaseAssumptions) -> tuple[Row | None, MachineFacts]:
    """Returns the machine chosen, else the most used lately (None if unknown), and its facts."""
    machine = _chosen(queries.machines(workload), asked)
    return machine, queries.machine(workload, machine) if machine else NO_FACTS


def _options(machine: Row | None, of: MachineFacts, asked: PurchaseAssumptions) -> list[Component]:
    """Renders which way to buy hours is cheapest, and a column per way."""
    if machine is None:
        return [NOT_KNOWN if asked.machine else NO_MACHINE]
    found = purchase_options(of, asked)
    pace = "" if asked.hours is None else " as you entered"
    if of.hours is None and asked.hours is None:
        pace = " unknown, because it has not been used lately"
    elif asked.hours is None:
        pace = f" at the pace of {LAST}"
    notes = f"Use of a commitment: {use_note(of, asked.used is not None)} Hours a month:{pace}."
    return [
        html.P(cheapest_sentence(_named(machine), found), className="verdict"),
        side_by_side(found, of),
        html.P(notes, className="note"),
    ]


def _side_by_side(
    workload: str, machines: list[Row], asked: PurchaseAssumptions
) -> list[Component]:
    machine = _chosen(machines, asked)
    of = queries.machine(workload, machine) if machine else NO_FACTS
    first = [_key(row) for row in machines[:1]]
    labels = {USUAL if _key(row) in first else _key(row): _label(row) for row in machines}
    value = USUAL if asked.machine in ("", USUAL, *first) else asked.machine
    boxes = (
        ("hours", "Instance-hours a month", asked.hours, of.hours),
        ("used", "Use of a commitment, %", asked.used, _per_cent(of.usual_use)),
    )
    return [
        html.Div(
            [
                one_of(BOXES["machine"], "Machine", labels, value),
                *[number_box(ids.DECIDE, *box) for box in boxes],
            ],
            className="toolbar controls effort",
            hidden=not machines,
        ),
        html.Div(_options(machine, of, asked), id=ids.DECIDE_WAYS),
    ]


def _chosen(machines: list[Row], asked: PurchaseAssumptions) -> Row | None:
    """Returns the machine that the reader names, else the most used lately; None if not found."""
    if asked.machine in ("", USUAL):
        return next(iter(machines), None)
    return next((row for row in machines if _key(row) == asked.machine), None)


def _per_cent(share: Decimal | None) -> Decimal | None:
    return None if share is None else share * HUNDRED


def _key(row: Row) -> str:
    return f"{row['instance_type']} {row['region']}"


def _named(row: Row) -> str:
    return f"{row['instance_type']} in {row['region']}"


def _label(row: Row) -> str:
    return _named(row) if row["own"] else f"{_named(row)} (not trained on yet)"

"""Builds a number input with a slider; while it is empty, the data's own figure is used."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.wording.format import plain, rounded
from dashboard.wording.unknown import UNKNOWN_AMOUNT

STEPS = 200


@dataclass(frozen=True)
class Slider:
    """One slider of the what-if: its known value, the reader's value, its source and its range.

    `top` is the end of the slider while no figure is known.
    """

    name: str
    label: str
    own: Decimal | None
    chosen: Decimal | None
    source: str
    top: Decimal = Decimal(100)
    lowest: Decimal = Decimal(0)


def number_box(
    page: str, name: str, label: str, chosen: Decimal | None, own: Decimal | None
) -> Component:
    """Builds a number input; while empty, it shows the known figure in grey."""
    box = dcc.Input(
        id={"page": page, "choice": name},
        type="text",
        value="" if chosen is None else format(chosen, "f"),
        placeholder=placeholder(own),
        debounce=0.4,
        autoComplete="off",
    )
    return html.Label([html.Span(label), box], className="slid-box")


def placeholder(own: Decimal | None) -> str:
    """Returns the grey text of an empty number input: the figure that is used then."""
    return UNKNOWN_AMOUNT if own is None else plain(rounded(own, 2))


def slider(page: str, of: Slider) -> Component:
    """Builds a number input with its slider, which a script draws in the browser."""
    now = of.own if of.chosen is None else of.chosen
    top = slider_end(of)
    hand = html.Div(
        **data(
            slides=of.name,
            page=page,
            label=f"{of.label}, slider",
            min=str(of.lowest),
            max=format(top, "f"),
            step=format(_step(top - of.lowest), "f"),
            own="" if of.own is None else format(rounded(of.own, 2), "f"),
            now="" if now is None else format(rounded(now, 2), "f"),
        ),
        className="slides",
    )
    return html.Div(
        [
            number_box(page, of.name, of.label, of.chosen, of.own),
            hand,
            html.P(of.source, className="note"),
        ],
        className="slid",
    )


def slider_end(of: Slider) -> Decimal:
    """Returns a slider's upper end: twice its largest figure; a set end if signed or unknown."""
    known = max(abs(value) for value in (of.own, of.chosen, Decimal(0)) if value is not None)
    if of.lowest < 0 or not known:
        return of.top
    size = Decimal(10) ** (known.adjusted() - 1)
    return max((known * 2 / size).to_integral_value(ROUND_CEILING) * size, size)


def _step(width: Decimal) -> Decimal:
    """Returns a round step for a slider, so that it has about 200 positions."""
    size = Decimal(10) ** (width / STEPS).adjusted()
    return next(size * n for n in (1, 2, 5, 10) if size * n >= width / STEPS)

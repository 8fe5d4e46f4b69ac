"""Shows the ways to buy a machine's hours as a table."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dash import html
from dash.development.base_component import Component

from dashboard.pages.decide.buying.machine import ON_DEMAND, SPOT, MachineFacts
from dashboard.pages.decide.buying.purchase_options import PurchaseOption, by_cost
from dashboard.pages.decide.buying.wording import NAMES, hidden_costs, price_note
from dashboard.widgets.attributes import aria
from dashboard.widgets.explain import term
from dashboard.wording.format import cents, percent
from dashboard.wording.unknown import UNKNOWN_AMOUNT

MEANINGS = {
    "Compared with on demand": "Price of an hour ÷ price of an hour on demand − 1.",
    "Used": "The part of the paid hours in which something runs.",
    "Lost": "(Cost of days without progress + cost of repeated epochs) ÷ cost of the runs.",
    "A productive hour, $": "Price of an hour ÷ used ÷ (1 − lost).",
    "A month, $": "Instance-hours a month × (1 − lost on demand) × a productive hour.",
}


def side_by_side(found: Sequence[PurchaseOption], of: MachineFacts) -> Component:
    """Builds an HTML list with an item per way to buy, the cheapest productive hour marked."""
    best = next(iter(by_cost(found)), None)
    return html.Ul([_way(way, of, way is best) for way in found], className="buys")


def _way(way: PurchaseOption, of: MachineFacts, best: bool) -> Component:
    value = UNKNOWN_AMOUNT if way.price is None else f"${cents(way.price)}"
    mark = html.Span("least", className="pill good") if best else None
    values = _facts(way, of)
    facts = [
        html.Div([html.Dt(term(name, meaning)), html.Dd(values[name])], className=f"fact-{place}")
        for place, (name, meaning) in enumerate(MEANINGS.items(), 1)
        if name in values
    ]
    return html.Li(
        [
            html.Div([html.H3(NAMES[way.name]), mark], className="way-head"),
            html.P([value, html.Small(" an hour") if way.price else None], className="value"),
            html.P(price_note(way), className="small"),
            html.Dl(facts) if way.price else html.Div(),
            html.Div([html.P(text, className="note") for text in hidden_costs(way, of)]),
        ],
        **aria(label=NAMES[way.name]),
    )


def _facts(way: PurchaseOption, of: MachineFacts) -> dict[str, str]:
    values = {}
    if way.name != ON_DEMAND:
        values["Compared with on demand"] = _against(way.price, of.on_demand)
    if way.name not in (ON_DEMAND, SPOT):
        values["Used"] = _share(way.used)
    values["Lost"] = _share(way.lost.share if way.lost else None)
    values["A productive hour, $"] = _amount(way.productive)
    values["A month, $"] = _amount(way.month)
    return values


def _against(price: Decimal | None, listed: Decimal | None) -> str:
    if price is None or not listed:
        return UNKNOWN_AMOUNT
    change = price / listed - 1
    return f"+{percent(change)}" if change > 0 else percent(change)


def _share(value: Decimal | None) -> str:
    return UNKNOWN_AMOUNT if value is None else percent(value, 1)


def _amount(value: Decimal | None) -> str:
    return UNKNOWN_AMOUNT if value is None else cents(value)

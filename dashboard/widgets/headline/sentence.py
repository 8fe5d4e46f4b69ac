"""Builds the head of a page: the answer in one sentence, and its basis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.widgets.explain import term
from dashboard.widgets.taken_along import copy_sentence
from dashboard.wording.explanations.explanation import BASIS, MEANINGS
from dashboard.wording.format import day, dollars, month_name, saving
from dashboard.wording.judged import WHAT_IS_JUDGED, judged_share
from dashboard.wording.unknown import UNKNOWN_AMOUNT, unjudged

Row = dict[str, Any]

AMOUNT = re.compile(r"([+\u2212]?\$[\d,.]*\d[BM]?|\d+(?:\.\d+)?\u00a0%)")

AT_LIST = (
    "With public list prices on both sides, before overhead: "
    "the difference is what discounts contributed, not the chip."
)
AS_NOW = "Net of overhead and upkeep, at the pace of the last 84 settled days."
OLD_VOLUME = (
    "Because cheaper training is used more: the balance of the move at the volume that was trained "
    "before it, after all overhead and investment."
)
METHODS = {
    "conservative": "The lower of what the GPU runs cost and what they would cost today.",
    "measured": "What the GPU runs of the window cost per unit of work.",
    "repriced": "The hours of the GPU runs at the GPU price of each day.",
    "fixed": "A quoted cost from the configuration.",
}


def headline(
    question: str,
    sentence: str,
    beside: Component | None = None,
    document: Component | None = None,
    asked: str = "",
    closed: bool = False,
) -> Component:
    """Builds the head of a page: its question, and the answer with amounts in bold.

    `document` is a link to the answer as a document. `asked` says the range and the filters that
    the answer is of, which are copied with it. A `closed` answer is not of the snapshot, whose day
    is then left out.
    """
    taken = html.Div([document, copy_sentence()], className="takes")
    parts = [html.P(question, className="question"), beside, taken]
    return html.Header(
        [
            html.Div(parts, className="eyebrow"),
            html.H1(emphasised(sentence), **data(asked=asked, closed="yes" if closed else "")),
        ],
        className="headline",
    )


def emphasised(sentence: str) -> list[Component | str]:
    """Returns the parts of a sentence, its dollar amounts and percentages in bold."""
    parts = AMOUNT.split(sentence)
    return [html.B(part) if index % 2 else part for index, part in enumerate(parts) if part]


def basis_line(
    snapshot: Row, standing: Row | None = None, restated: Sequence[Row] = (), waits: str = ""
) -> Component:
    """Renders the line below a headline: cost basis, baseline, settled-through date and more.

    `waits` says which dollars wait for the rest of the bill.
    """
    method = str(snapshot["baseline_method"])
    return html.P(
        [
            html.Span(_basis(str(snapshot["basis"]))),
            html.Span(["GPU baseline: ", term(method, METHODS.get(method, method))]),
            html.Span(
                [
                    term("Settled", "The bill of these days is complete; later days still change."),
                    f" through {day(snapshot['settled_through'])}",
                ]
            ),
            *([html.Span(waits)] if waits else []),
            *([_judged(standing)] if standing else []),
            *([_at_list(standing)] if standing else []),
            *([_going_on(standing), _at_old_volume(standing)] if standing else []),
            *([_restated(restated)] if restated else []),
        ],
        className="standing-on",
    )


def _basis(name: str) -> Component:
    """Names the basis of cost; hovering shows what it means."""
    return term(f"{name.capitalize()} cost", MEANINGS.get(name, BASIS))


def _restated(months: Sequence[Row]) -> Component:
    """Shows by how much AWS restated settled months; hovering lists the months."""
    each = "; ".join(
        f"{month_name(row['month'])} by {_moved(row['change'])} on {day(row['changed_at'].date())}"
        for row in months
    )
    meaning = f"AWS changed bills that were settled: {each}. Every number here uses the new bill."
    return html.Span([term("Restated", meaning), f" by {_moved(months[0]['total'])}"])


def _moved(change: Decimal | None) -> str:
    return "an unknown amount" if change is None else saving(change)


def _judged(standing: Row) -> Component | None:
    """Renders which part of the Trainium spend the headline covers."""
    share = judged_share(standing)
    return (
        None
        if share is None
        else html.Span([term("Compared with GPU", WHAT_IS_JUDGED), f": {share}"])
    )


def _going_on(standing: Row) -> Component | None:
    """Renders what a month saves at the present pace; None if it is unknown or a loss."""
    monthly = standing.get("forward_per_month")
    if monthly is None or monthly < 0:
        return None
    return html.Span([term("Going on as now", AS_NOW), f" saves {dollars(monthly)} a month"])


def _at_old_volume(standing: Row) -> Component | None:
    """Renders the balance of the move at the volume trained before it; None if unknown."""
    net = standing.get("net_at_old_volume")
    if net is None:
        return None
    return html.Span([term("At the volume before the move", OLD_VOLUME), f": {saving(net)}"])


def _at_list(standing: Row) -> Component | None:
    gross, listed = standing["cumulative_gross_saving"], standing["cumulative_saving_at_list"]
    if gross is None or unjudged(standing):
        return None
    amount = UNKNOWN_AMOUNT if listed is None else saving(listed)
    before = f"Saved before overhead: {saving(gross)}, "
    return html.Span(
        [before, term("at list prices", AT_LIST), " ", html.Span(amount, className="amount")]
    )

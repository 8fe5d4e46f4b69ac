"""Builds the four tiles below the headline of the Overview, each with its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.view import SHARE_DAYS
from dashboard.widgets.attributes import data
from dashboard.widgets.explain import explain
from dashboard.wording.explanations import overview as explained
from dashboard.wording.explanations.explanation import Explanation
from dashboard.wording.format import (
    compact,
    count,
    dollars,
    known_saving,
    month_name,
    percent,
    signed,
)
from dashboard.wording.reasons import reason
from dashboard.wording.unknown import (
    MISSING,
    SEVERAL_AT_LIST,
    UNJUDGED,
    UNKNOWN_AMOUNT,
    shown_status,
    unjudged,
    why_unknown,
)

Row = dict[str, Any]

SAVED_OF_GPU = "Saved of what GPUs would cost, before overhead"
LISTED = ("unverified", "unsettled")
SHOWN = 3
"""How many lines of what is left out are shown at first."""


def saved_this_month(months: Sequence[Row], standing: Row, waiting: int = 0) -> Component:
    """Builds the tile with the newest month's net saving, beside the month before.

    `waiting` days of the month are not counted yet.
    """
    if not months:
        return _tile("Saved this month", MISSING, "no settled day yet", explained.MONTH)
    now, *before = months
    title, net = f"Saved in {month_name(now['month'])}", now["net_saving"]
    if net is None or shown_status(standing) in UNJUDGED:
        return _tile(title, UNKNOWN_AMOUNT, why_unknown(standing), explained.MONTH)
    small = "the first month"
    if before:
        small = f"{known_saving(before[0]['net_saving'])} in {month_name(before[0]['month'])}"
    part = f"incomplete, {count(waiting, 'day')} not counted yet; " if waiting else ""
    return _tile(title, signed(compact(net), net), part + small, explained.MONTH, _tone(net))


def saved_of_gpu_cost(sums: Row, standing: Row) -> Component:
    """Builds the tile with the share saved of what GPUs would have cost, also at list prices."""
    saved = _part(sums.get("saved"), sums.get("gpu"))
    if saved is None or shown_status(standing) in UNJUDGED:
        return _tile(SAVED_OF_GPU, UNKNOWN_AMOUNT, why_unknown(standing), explained.SAVED_OF_GPU)
    at_list = _part(sums.get("at_list_saved"), sums.get("at_list_gpu"))
    listed = f"{_signed_percent(at_list)} at list prices"
    if at_list is None:
        several = sums.get("unpriced_days") == 0
        why = SEVERAL_AT_LIST if several else "price unavailable"
        listed = f"at list prices: {why}"
    elif days := sums.get("unpriced_days"):
        listed += f" ({count(days, 'day')} without one left out)"
    return _tile(SAVED_OF_GPU, _signed_percent(saved), listed, explained.SAVED_OF_GPU, _tone(saved))


def training_share(rows: Sequence[Row]) -> Component:
    """Builds the tile with Trainium's share of training, in hours and in cost."""
    hours, cost = _share(rows, "hours"), _share(rows, "cost")
    if hours is None:
        none = f"no training in the last {SHARE_DAYS} days"
        return _tile("Trainium share of training", MISSING, none, explained.SHARE)
    of_cost = UNKNOWN_AMOUNT if cost is None else percent(cost)
    small = f"of accelerator-hours; {of_cost} of their cost"
    return _tile("Trainium share of training", percent(hours), small, explained.SHARE)


def left_out(of_nobody: Mapping[str, Decimal | None], standing: Row) -> Component:
    """Builds the tile with the dollars that the headline leaves out or flags.

    `of_nobody` is spend by name that belongs to no workload.
    """
    out, flagged = standing.get("left_out") or {}, standing.get("flagged") or {}
    none = None if unjudged(standing) else Decimal(0)
    lines = [
        *of_nobody.items(),
        ("Unverified saving", flagged.get("unverified", none)),
        ("Unsettled saving", out.get("unsettled", none)),
    ]
    lines += _by_reason(out, flagged, "left out") + _by_reason(flagged, out, "counted")
    lines.sort(key=lambda line: line[1] == 0)
    first, rest = lines[:SHOWN], lines[SHOWN:]
    return html.Article(
        [
            _head("Not in the headline, or not verified", explained.LEFT_OUT, "end"),
            _lines(first),
            html.Details(
                [html.Summary(f"{len(rest)} more"), _lines(rest)],
                className="more",
                **data(key="left out"),
            )
            if rest
            else None,
        ],
        className="tile",
    )


def _by_reason(
    amounts: Mapping[str, Decimal | None], others: Mapping[str, Decimal | None], how: str
) -> list[tuple[str, Decimal | None]]:
    """Lists (reason, dollars); a reason also in the other list says how its dollars count."""
    return [
        (f"{reason(name)}, {how}" if name in others else reason(name), of)
        for name, of in amounts.items()
        if name not in LISTED
    ]


def _lines(lines: Sequence[tuple[str, Decimal | None]]) -> Component:
    return html.Dl([_line(name, value) for name, value in lines], className="lines")


def _line(name: str, value: Decimal | None) -> Component:
    shown = UNKNOWN_AMOUNT if value is None else dollars(value)
    return html.Div([html.Dt(name), html.Dd(shown)])


def _tile(
    title: str, value: str, small: str, of: Explanation, tone: str = "", align: str = ""
) -> Component:
    wordy = " wordy" if value == UNKNOWN_AMOUNT else ""
    return html.Article(
        [
            _head(title, of, align),
            html.P(value, className=f"value {tone}{wordy}"),
            html.P(small, className="small"),
        ],
        className="tile",
    )


def _head(title: str, of: Explanation, align: str) -> Component:
    return html.Div([html.H2(title), explain(of, align)], className="tile-head")


def _part(saved: Decimal | None, gpu: Decimal | None) -> Decimal | None:
    """Divides a saving by its GPU counterfactual (0.38: 38 % less); None if unknown or zero."""
    return saved / gpu if saved is not None and gpu else None


def _signed_percent(ratio: Decimal | None) -> str:
    return signed(percent(ratio), ratio)


def _share(rows: Sequence[Row], column: str) -> Decimal | None:
    """Returns Trainium's share of a column's sum over hardware; None if zero or unknown."""
    if any(row[column] is None for row in rows):
        return None
    sums = {row["hardware"]: row[column] for row in rows}
    total = sum(sums.values(), Decimal(0))
    return sums.get("trainium", Decimal(0)) / total if total else None


def _tone(saved: Decimal | None) -> str:
    if not saved:
        return ""
    return "good" if saved > 0 else "bad"

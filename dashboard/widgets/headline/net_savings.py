"""Renders the curve of cumulative net savings, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash.development.base_component import Component

from dashboard.charts.net_savings import (
    known_days,
    net_savings_figure,
    summary,
    unknown_since,
)
from dashboard.widgets.card import chart
from dashboard.widgets.indicators import empty
from dashboard.wording.forecast import curve_note
from dashboard.wording.format import sentence
from dashboard.wording.unknown import (
    NOT_MOVED,
    UNJUDGED,
    instead_of_curve,
    shown_status,
    why_no_balance,
)

Row = dict[str, Any]
Rows = Sequence[Row]


def net_savings(standing: Row, days: Rows, outlays: Rows, weeks_ahead: Rows) -> Component:
    """Draws the curve of cumulative net savings, or renders why it is unknown."""
    if shown_status(standing) in UNJUDGED:
        return empty(*instead_of_curve(standing), "question")
    known = known_days(days)
    if not known:
        return _none_known(standing, days)
    if not weeks_ahead and not any(row["cumulative_net"] for row in known):
        return _nothing_yet(standing)
    figure = net_savings_figure(days, outlays, standing, weeks_ahead)
    note = curve_note(standing, bool(weeks_ahead), unknown_since(days))
    return chart(figure, summary(days, standing), note)


def _nothing_yet(standing: Row) -> Component:
    """Renders why a curve would be a line at $0: nothing was saved or spent up to its last day."""
    if standing.get("status") == "not_started":
        return empty(*NOT_MOVED)
    return empty("Nothing saved or invested up to these days", "Choose a later range.")


def _none_known(standing: Row, days: Rows) -> Component:
    if any(row["settled"] for row in days):
        why = why_no_balance(standing)
        return empty("The saving is unknown", sentence(why), "question")
    return empty("No settled day in this range", "Choose another range, or wait for the bill.")

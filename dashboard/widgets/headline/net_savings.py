"""Shows the curve of cumulative net savings, or says why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash.development.base_component import Component

from dashboard.charts.net_savings import known_days, net_savings_figure, summary, unknown_since
from dashboard.widgets.card import chart
from dashboard.widgets.indicators import empty
from dashboard.wording.forecast import curve_note
from dashboard.wording.format import sentence
from dashboard.wording.unknown import UNJUDGED, why_unknown

Row = dict[str, Any]
Rows = Sequence[Row]


def net_savings(standing: Row, days: Rows, outlays: Rows, weeks_ahead: Rows) -> Component:
    """Draws the curve of cumulative net savings, or says why it is unknown."""
    if standing.get("status") in UNJUDGED:
        return empty(*UNJUDGED[standing["status"]], "question")
    if not known_days(days):
        return _none_known(standing, days)
    figure = net_savings_figure(days, outlays, standing, weeks_ahead)
    note = curve_note(standing, bool(weeks_ahead), unknown_since(days))
    return chart(figure, summary(days, standing), note)


def _none_known(standing: Row, days: Rows) -> Component:
    if any(row["settled"] for row in days):
        why = why_unknown(standing)
        return empty("The saving is unknown", sentence(why), "question")
    return empty("No settled day in this range", "Choose another range, or wait for the bill.")

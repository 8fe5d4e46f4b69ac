"""Draws the cost per unit on GPU and on Trainium by period, with the GPU baseline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dashboard.charts import frame
from dashboard.pages.workload.intervals import intervals
from dashboard.pages.workload.price_marks import price_marks
from dashboard.wording import theme
from dashboard.wording.format import cents, day, drawn, month, number
from dashboard.wording.units import Unit, words

Rows = Sequence[dict[str, Any]]
HEIGHT = 340


def epoch_cost(
    periods: Rows, baseline: Rows, price_changes: Rows, period: str, standing: dict[str, Any]
) -> frame.Figure:
    """Draws cost per unit on GPU and Trainium by period, with baseline and price changes.

    Shaded areas are the 80 % intervals of the baseline and of the mean on Trainium, where known.
    The axis is limited to the days that have a cost; price changes outside are not drawn.
    """
    unit = words(standing.get("unit"))
    traces = [
        _line(name, [r for r in periods if r["hardware"] == name], period, unit)
        for name in (
            "gpu",
            "trainium",
        )
    ]
    first, last = _days(periods, baseline)
    if baseline:
        traces.insert(0, _baseline(baseline))
    traces = [*intervals(periods, baseline, standing), *traces]
    return frame.figure(
        traces,
        HEIGHT,
        showlegend=True,
        legend=frame.LEGEND | {"traceorder": "normal"},
        xaxis=frame.date_axis(range=_with_margin(first, last)),
        yaxis=frame.money_axis(f"Cost {unit.per}, $", rangemode="tozero"),
        **price_marks(price_changes, first, last),
    )


def _days(periods: Rows, baseline: Rows) -> tuple[date, date]:
    """Returns the first and the last day of the figures drawn."""
    days = [row["period_start"] for row in periods] + [row["date"] for row in baseline]
    return min(days), max(days)


def _with_margin(first: date, last: date) -> list[str]:
    """Returns first and last day of a chart's axis, widened by a fiftieth so that marks fit."""
    margin = timedelta(days=max(1, (last - first).days // 50))
    return [(first - margin).isoformat(), (last + margin).isoformat()]


def _line(name: str, rows: Rows, period: str, unit: Unit) -> frame.Trace:
    hardware = theme.HARDWARE[name]
    symbols = [hardware.symbol if row["settled"] else f"{hardware.symbol}-open" for row in rows]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": hardware.label,
        "x": [row["period_start"].isoformat() for row in rows],
        "y": [drawn(row["cost_per_epoch"]) for row in rows],
        "customdata": [_hover(hardware.label, row, period, unit) for row in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": hardware.colour, "width": 2.25, "dash": hardware.dash},
        "marker": {"symbol": symbols, "size": 8, "color": hardware.colour},
    }


def _hover(label: str, row: dict[str, Any], period: str, unit: Unit) -> str:
    start = row["period_start"]
    when = month(start) if period == "month" else f"Week of {day(start)}"
    provisional = "" if row["settled"] else "<br>not settled yet"
    return (
        f"{label} · {when}<br><b>${cents(row['cost_per_epoch'])}</b> {unit.per}"
        f"<br>${cents(row['cost'])} ÷ {number(row['epochs'], 2)} {unit.many}{provisional}"
    )


def _baseline(rows: Rows) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "GPU baseline",
        "x": [row["date"].isoformat() for row in rows],
        "y": [drawn(row["value"]) for row in rows],
        "customdata": [f"${cents(row['value'])} from {day(row['date'])}" for row in rows],
        "hovertemplate": "GPU baseline<br><b>%{customdata}</b><extra></extra>",
        "line": {"color": theme.GPU, "width": 1.5, "dash": "dot", "shape": "hv"},
    }

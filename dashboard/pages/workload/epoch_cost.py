"""Draws the cost per unit on GPU and on Trainium by period, with the GPU baseline."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.pages.workload.intervals import intervals
from dashboard.wording import theme
from dashboard.wording.format import cents, day, drawn, month, number, percent, signed
from dashboard.wording.units import Unit, words

Rows = Sequence[dict[str, Any]]
HEIGHT = 340
MARKED = Decimal("0.005")
"""The least change of a price that is marked: less would be called 0 %."""
BOUGHT = {"on_demand": "price", "capacity_block": "Capacity Blocks", "spot": "Spot"}
"""Whose price changed: without a word more, it is what an hour on demand costs."""
LEGEND = {
    "orientation": "h",
    "x": 0,
    "y": 1.02,
    "yanchor": "bottom",
    "font": {"size": 12},
    "traceorder": "normal",
}


def epoch_cost(
    periods: Rows, baseline: Rows, price_changes: Rows, period: str, standing: dict[str, Any]
) -> frame.Figure:
    """Draws cost per unit on GPU and Trainium by period, with baseline and price changes.

    Shaded areas are the 80 % intervals of the baseline and of the mean on Trainium, where known.
    """
    unit = words(standing.get("unit"))
    traces = [
        _line(name, [r for r in periods if r["hardware"] == name], period, unit)
        for name in (
            "gpu",
            "trainium",
        )
    ]
    marked = [row for row in price_changes if abs(_change(row)) >= MARKED]
    if baseline:
        traces.insert(0, _baseline(baseline))
    traces = [*intervals(periods, baseline, standing), *traces]
    return frame.figure(
        traces,
        HEIGHT,
        margin={"l": 8, "r": 16, "t": 34, "b": 8},
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        shapes=[frame.vertical(row["effective_from"]) for row in marked],
        annotations=[_price_note(row) for row in marked],
        xaxis=frame.date_axis(),
        yaxis=frame.money_axis(f"Cost {unit.per}, $", rangemode="tozero"),
    )


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


def _price_note(row: dict[str, Any]) -> dict[str, Any]:
    change = signed(percent(_change(row)), _change(row))
    bought = BOUGHT.get(row["purchase_option"], row["purchase_option"])
    return {
        "x": row["effective_from"].isoformat(),
        "y": 1,
        "yref": "paper",
        "yanchor": "top",
        "xanchor": "left",
        "xshift": 5,
        "align": "left",
        "showarrow": False,
        "text": f"{escaped(str(row['instance_type']))} {escaped(bought)} {change}",
        "hovertext": f"{day(row['effective_from'])}: ${cents(row['usd_per_hour'])} an hour",
        "font": {"size": 11},
        "bgcolor": "white",
    }


def _change(row: dict[str, Any]) -> Decimal:
    change: Decimal = row["usd_per_hour"] / row["previous_usd_per_hour"] - 1
    return change

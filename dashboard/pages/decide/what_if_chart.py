"""Draws the cumulative net of a planned move by month."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from dashboard.charts import frame
from dashboard.wording import theme
from dashboard.wording.format import drawn, number, saving
from models.forecast.migration import Migration, months_saved

HEIGHT = 300
Point = tuple[Decimal, Decimal]
"""Months from now, and the cumulative net then."""


def what_if(
    asked: Migration, start: Decimal, net: Decimal, payback: Decimal | None
) -> frame.Figure:
    """Draws the cumulative net of a what-if by month, with the month of payback.

    It stays as it is from the end of training on.
    """
    months = asked.months
    ahead = [Decimal(month) for month in range(months + 1)]
    left = [start + net * months_saved(asked, month) for month in ahead]
    colour = theme.GAIN_LINE if left[-1] >= 0 else theme.LOSS_LINE
    points = _with_crossings(list(zip(ahead, left, strict=True)))
    traces: list[frame.Trace] = [
        _area(points, 1),
        _area(points, -1),
        {
            "type": "scatter",
            "mode": "lines",
            "x": [drawn(month) for month in ahead],
            "y": [drawn(value) for value in left],
            "customdata": [saving(value) for value in left],
            "hovertemplate": "after month %{x}: <b>%{customdata}</b><extra></extra>",
            "line": {"color": theme.SAVINGS, "width": 2.5},
        },
    ]
    if payback is not None and payback <= months:
        traces.append(_marker(payback, months, colour))
    return frame.figure(
        traces,
        HEIGHT,
        margin={"l": 8, "r": 16, "t": 16, "b": 8},
        uirevision="what if",
        shapes=[_zero()],
        xaxis=frame.titled_axis("Months from now", range=[0, months], dtick=3, showgrid=False),
        yaxis=frame.money_axis("Cumulative net, $", rangemode="tozero"),
    )


def _with_crossings(points: list[Point]) -> list[Point]:
    """Returns a line's points and those at which it crosses zero, so that areas end there."""
    found = points[:1]
    for (month, value), (later, next_value) in pairwise(points):
        if value * next_value < 0:
            share = value / (value - next_value)
            found.append((month + (later - month) * share, Decimal(0)))
        found.append((later, next_value))
    return found


def _area(points: list[Point], sign: int) -> frame.Trace:
    """Returns the filled area between a line and zero: gains (`sign` 1) or losses (-1)."""
    heights = [
        max(value, Decimal(0)) if sign > 0 else min(value, Decimal(0)) for _, value in points
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "Gain" if sign > 0 else "Loss",
        "x": [drawn(month) for month, _ in points],
        "y": [drawn(height) for height in heights],
        "line": {"width": 0},
        "fill": "tozeroy",
        "fillcolor": theme.GAIN if sign > 0 else theme.LOSS,
        "hoverinfo": "skip",
    }


def _marker(payback: Decimal, months: int, colour: str) -> frame.Trace:
    """Marks the month of payback on the what-if chart, with a label that the axis does not cut."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [drawn(payback)],
        "y": [0],
        "text": [f"{number(payback, 1)} months" if payback else "now"],
        "textposition": "top right" if payback * 8 < months else "top center",
        "textfont": {"color": colour, "size": 13},
        "hovertemplate": "break-even<extra></extra>",
        "marker": {"symbol": "diamond", "size": 11, "color": colour},
    }


def _zero() -> dict[str, object]:
    line = {"color": theme.QUIET, "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "line": line}

"""Draws the marks on the savings curve: outlays, break-even, newest amount, unsettled days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from dashboard.charts import frame
from dashboard.wording import theme
from dashboard.wording.format import day, dollars, drawn, saving
from dashboard.wording.investments import investment_kind

Rows = Sequence[dict[str, Any]]
LABEL_SHARE = 0.3
"""Share of a phone's figure that the newest amount takes in width."""
BREAK_EVEN_SHARE = 0.65
"""Share of a phone's figure that the label of the break-even day takes in width."""


def outlay_marks(settled: Rows, outlays: Rows) -> frame.Trace:
    """Returns a trace that marks the outlays of settled days on the curve of net savings."""
    heights = {row["date"]: row["cumulative_net"] for row in settled}
    drawn_on = [row for row in outlays if row["date"] in heights]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": dates_of(drawn_on),
        "y": [drawn(heights[row["date"]]) for row in drawn_on],
        "customdata": [_outlay(row) for row in drawn_on],
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "marker": {"symbol": "triangle-down", "size": 10, "color": theme.QUIET},
    }


def _outlay(row: dict[str, Any]) -> str:
    kind = investment_kind(row["kind"])
    done = "Received" if row["amount"] < 0 else "Invested"
    return f"{done} {dollars(abs(row['amount']))} · {kind} · {day(row['date'])}"


def break_even_marker(break_even: date) -> frame.Trace:
    """Returns a trace that marks the day of break-even with a diamond on the zero line."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [break_even.isoformat()],
        "y": [0],
        "customdata": [f"Break-even on {day(break_even)}"],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {
            "symbol": "diamond",
            "size": 13,
            "color": theme.GAIN_LINE,
            "line": {"width": 2, "color": "white"},
        },
    }


def break_even_label(
    break_even: date, settled: Rows, span: timedelta, *, left: bool
) -> dict[str, Any]:
    """Returns the break-even day's label: left of its mark and above, or right and below, as asked.

    On the left it stands above the curve, which may have been above zero before. `span` is the
    span of the whole figure.
    """
    first = break_even - span * BREAK_EVEN_SHARE
    before = [row["cumulative_net"] for row in settled if first <= row["date"] < break_even]
    heights = [0.0, *(drawn(height) or 0.0 for height in before)]
    return {
        "x": break_even.isoformat(),
        "y": max(heights) if left else 0,
        "text": f"<b>Break-even</b> {day(break_even)}",
        "showarrow": False,
        "yshift": 16 if left else -16,
        "xshift": -8 if left else 8,
        "xanchor": "right" if left else "left",
    }


def newest_amount_label(settled: Rows, span: timedelta) -> list[dict[str, Any]]:
    """Returns a list with the newest cumulative net's label, beside the curve; empty without days.

    `span` is the span of the whole figure. Near its left edge the label is to the right of the
    line.
    """
    if not settled:
        return []
    last = settled[-1]
    right = last["date"] - settled[0]["date"] < span * LABEL_SHARE
    left = last["date"] - span * LABEL_SHARE
    before = sum(row["date"] < left for row in settled)
    neighbours = [last] if right else settled[max(before - 1, 0) :]
    heights = [row["cumulative_net"] for row in neighbours]
    low, high = min(heights), max(heights)
    under = last["cumulative_net"] - low < high - last["cumulative_net"]
    return [
        {
            "x": last["date"].isoformat(),
            "y": drawn(low if under else high),
            "text": f"<b>{saving(last['cumulative_net'])}</b>",
            "showarrow": False,
            "xanchor": "left" if right else "right",
            "yshift": -14 if under else 14,
            "font": {"size": 14},
        }
    ]


def zero_line() -> dict[str, Any]:
    """Returns the zero line over the whole width of the savings chart."""
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 0,
        "line": {"color": theme.QUIET, "width": 1.5},
        "layer": "below",
    }


def unsettled_bands(days: Rows, settled: Rows) -> list[frame.Trace]:
    """Returns a hatched trace per stretch of unsettled days; empty without settled days."""
    if not settled:
        return []
    heights = [drawn(row["cumulative_net"]) or 0.0 for row in settled]
    ends = min(*heights, 0.0), max(*heights, 0.0)
    spans = [[row["date"] for row in each] for done, each in groupby(days, _settled) if not done]
    return [_band(span[0], span[-1], *ends) for span in spans]


def _settled(row: dict[str, Any]) -> bool:
    return bool(row["settled"])


def _band(first: date, last: date, low: float, high: float) -> frame.Trace:
    left = first - timedelta(days=1)
    span = day(first) if first == last else f"{day(first)} – {day(last)}"
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [day_.isoformat() for day_ in (left, left, last, last)],
        "y": [low, high, high, low],
        "fill": "toself",
        "fillcolor": "rgba(118,127,138,0.10)",
        "fillpattern": {"shape": "/", "fgcolor": theme.QUIET, "size": 6, "solidity": 0.25},
        "line": {"width": 0},
        "hoveron": "fills",
        "hoverinfo": "text",
        "text": f"Not settled yet: {span}",
    }


def dates_of(rows: Rows) -> list[str]:
    """Returns the dates of the rows of a chart as ISO text."""
    return [row["date"].isoformat() for row in rows]

"""Draws cumulative net savings: an outlay is a step down, a saving a climb, zero is break-even."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dashboard.charts import frame
from dashboard.charts.forecast import expected_break_even, forecast_traces, weeks_to_draw
from dashboard.wording import theme
from dashboard.wording.forecast import break_even_span
from dashboard.wording.format import day, dollars, drawn, saving

Rows = Sequence[dict[str, Any]]
HEIGHT = 340
STEPS = 6
"""How many outlays the figure names, the largest first; the others still move the line."""
ROOM = 0.09
"""Share of the height that is left free above and below for the newest amount."""
LABEL_SHARE = 0.3
"""Share of a phone's figure that the newest amount takes in width."""


def net_savings_figure(
    days: Rows, outlays: Rows, standing: dict[str, Any], weeks_ahead: Rows = ()
) -> frame.Figure:
    """Draws the curve through the settled days, with the forecast where there is one.

    Days still unsettled are hatched, not drawn.
    """
    days, break_even = _since_first_change(days), standing.get("break_even_date")
    ahead = weeks_to_draw(weeks_ahead, standing)
    settled = known_days(days)
    first = settled[0]["date"] if settled else None
    named = sorted(outlays, key=lambda row: row["amount"], reverse=True)[:STEPS]
    steps = [row for row in named if first and row["date"] >= first]
    traces = [_area(settled, 1), _area(settled, -1), _line(settled), _steps(settled, steps)]
    notes = _end(settled, _length([*days, *ahead]))
    if break_even and any(row["date"] == break_even for row in settled):
        traces.append(_marker(break_even))
        notes.append(_label(break_even, left=break_even > _middle(days)))
    return frame.figure(
        [
            *forecast_traces(ahead),
            *traces,
            *expected_break_even(standing, ahead),
            *_unsettled(days, settled),
        ],
        HEIGHT,
        annotations=notes,
        shapes=[_zero()],
        margin={"l": 8, "r": 16, "t": 22, "b": 8},
        hovermode="x",
        xaxis=frame.date_axis(range=_span([*days, *ahead])),
        yaxis=frame.money_axis("Net savings so far, $", range=_heights(settled, ahead)),
    )


def known_days(days: Rows) -> Rows:
    """Returns the settled days before the first one whose saving is unknown."""
    return [row for row in days if row["settled"] and row["cumulative_net"] is not None]


def unknown_since(days: Rows) -> date | None:
    """Returns the first settled day whose saving is unknown; every later sum is unknown too."""
    lost = (row["date"] for row in days if row["settled"] and row["cumulative_net"] is None)
    return next(lost, None)


def summary(days: Rows, standing: dict[str, Any]) -> str:
    """Describes the figure in words, for readers who cannot see it."""
    settled = known_days(days)
    if not settled:
        return "No settled day yet."
    last, lost = settled[-1], unknown_since(days)
    ends = (
        f"then {saving(last['cumulative_net'])}, unknown since {day(lost)}"
        if lost
        else (f"now {saving(last['cumulative_net'])}")
    )
    return (
        f"Cumulative net savings from {day(settled[0]['date'])} to {day(last['date'])}, "
        f"{ends}.{_forecast(standing)}"
    )


def _forecast(standing: dict[str, Any]) -> str:
    low, median, high = (standing.get(f"forecast_{name}") for name in ("low", "median", "high"))
    return f" Break-even is expected {break_even_span(low, median, high)}." if low else ""


def _since_first_change(days: Rows) -> Rows:
    """Drops the days before anything was spent or saved, except for the last of them."""
    first = next((i for i, row in enumerate(days) if row["cumulative_net"]), 0)
    return days[max(first - 1, 0) :]


def _line(settled: Rows) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "Net savings so far",
        "x": _dates(settled),
        "y": [drawn(row["cumulative_net"]) for row in settled],
        "customdata": [saving(row["cumulative_net"]) for row in settled],
        "hovertemplate": "%{x|%-d %b %Y}<br><b>%{customdata}</b><extra></extra>",
        "line": {"color": theme.SAVINGS, "width": 2.5},
    }


def _area(settled: Rows, sign: int) -> frame.Trace:
    colour = theme.GAIN if sign > 0 else theme.LOSS
    heights = [drawn(row["cumulative_net"]) or 0.0 for row in settled]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": _dates(settled),
        "y": [max(height, 0) if sign > 0 else min(height, 0) for height in heights],
        "line": {"width": 0},
        "fill": "tozeroy",
        "fillcolor": colour,
        "hoverinfo": "skip",
    }


def _steps(settled: Rows, outlays: Rows) -> frame.Trace:
    heights = {row["date"]: row["cumulative_net"] for row in settled}
    drawn_on = [row for row in outlays if row["date"] in heights]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _dates(drawn_on),
        "y": [drawn(heights[row["date"]]) for row in drawn_on],
        "customdata": [_outlay(row) for row in drawn_on],
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "marker": {"symbol": "triangle-down", "size": 10, "color": theme.QUIET},
    }


def _outlay(row: dict[str, Any]) -> str:
    kind = str(row["kind"]).replace("_", " ")
    return f"Invested {dollars(row['amount'])} · {kind} · {day(row['date'])}"


def _marker(break_even: date) -> frame.Trace:
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


def _middle(days: Rows) -> date:
    found: date = days[len(days) // 2]["date"]
    return found


def _label(break_even: date, *, left: bool) -> dict[str, Any]:
    """Labels the break-even diamond on the side where there is room."""
    return {
        "x": break_even.isoformat(),
        "y": 0,
        "text": f"<b>Break-even</b> {day(break_even)}",
        "showarrow": False,
        "yshift": 16 if left else -16,
        "xshift": -8 if left else 8,
        "xanchor": "right" if left else "left",
    }


def _end(settled: Rows, span: timedelta) -> list[dict[str, Any]]:
    """Labels the newest amount where the line does not run through it.

    `span` is that of the whole figure; near its left edge the amount stands right of the line.
    """
    if not settled:
        return []
    last = settled[-1]
    right = last["date"] - settled[0]["date"] < span * LABEL_SHARE
    left = last["date"] - span * LABEL_SHARE
    before = sum(row["date"] < left for row in settled)
    beside = [last] if right else settled[max(before - 1, 0) :]
    heights = [row["cumulative_net"] for row in beside]
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


def _zero() -> dict[str, Any]:
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


def _unsettled(days: Rows, settled: Rows) -> list[frame.Trace]:
    """Returns a hatched band over the days whose cost may still change."""
    open_days = [row["date"] for row in days if not row["settled"]]
    if not open_days or not settled:
        return []
    heights = [drawn(row["cumulative_net"]) or 0.0 for row in settled]
    low, high = min(*heights, 0.0), max(*heights, 0.0)
    left, right = open_days[0] - timedelta(days=1), open_days[-1]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [day_.isoformat() for day_ in (left, left, right, right)],
            "y": [low, high, high, low],
            "fill": "toself",
            "fillcolor": "rgba(118,127,138,0.10)",
            "fillpattern": {"shape": "/", "fgcolor": theme.QUIET, "size": 6, "solidity": 0.25},
            "line": {"width": 0},
            "hoveron": "fills",
            "hoverinfo": "text",
            "text": f"Not settled yet: {day(open_days[0])} – {day(right)}",
        }
    ]


def _heights(settled: Rows, ahead: Rows) -> list[float]:
    """Returns the range of the vertical axis, with room for the newest amount."""
    ends = [drawn(row[name]) or 0.0 for row in ahead for name in ("low", "high")]
    heights = [0.0, *ends, *(drawn(row["cumulative_net"]) or 0.0 for row in settled)]
    room = (max(heights) - min(heights)) * ROOM or 1.0
    return [min(heights) - room, max(heights) + room]


def _length(days: Rows) -> timedelta:
    return timedelta() if not days else days[-1]["date"] - days[0]["date"]


def _span(days: Rows) -> list[str]:
    first, last = days[0]["date"], days[-1]["date"]
    return [first.isoformat(), (last + timedelta(days=1)).isoformat()]


def _dates(rows: Rows) -> list[str]:
    return [row["date"].isoformat() for row in rows]

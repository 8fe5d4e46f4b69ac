"""Draws cumulative net savings: an outlay lowers the curve, a saving raises it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dashboard.charts import frame
from dashboard.charts.forecast import expected_break_even, forecast_traces, weeks_to_draw
from dashboard.charts.net_savings_marks import (
    break_even_label,
    break_even_marker,
    dates_of,
    newest_amount_label,
    outlay_marks,
    unsettled_bands,
    zero_line,
)
from dashboard.wording import theme
from dashboard.wording.forecast import break_even_span
from dashboard.wording.format import day, drawn, saving

Rows = Sequence[dict[str, Any]]
HEIGHT = 340
STEPS = 6
"""How many outlays the figure names, the largest first; the others still move the line."""
ROOM = 0.09
"""Share of the height that is left free above and below for the newest amount."""


def net_savings_figure(
    days: Rows, outlays: Rows, standing: dict[str, Any], weeks_ahead: Rows = ()
) -> frame.Figure:
    """Draws the running sum of saving less investment by settled day, with its forecast.

    Days that are not settled are hatched, and no point of the curve.
    """
    days, break_even = _since_first_change(days), standing.get("break_even_date")
    ahead = weeks_to_draw(weeks_ahead, standing)
    settled = known_days(days)
    first = settled[0]["date"] if settled else None
    named = sorted(outlays, key=lambda row: row["amount"], reverse=True)[:STEPS]
    steps = [row for row in named if first and row["date"] >= first]
    traces = [_area(settled, 1), _area(settled, -1), _line(settled), outlay_marks(settled, steps)]
    span = _length([*days, *ahead])
    notes = newest_amount_label(settled, span)
    if break_even and any(row["date"] == break_even for row in settled):
        traces.append(break_even_marker(break_even))
        left = break_even > _middle(days)
        notes.append(break_even_label(break_even, settled, span, left=left))
    return frame.figure(
        [
            *forecast_traces(ahead),
            *traces,
            *expected_break_even(standing, ahead),
            *unsettled_bands(days, settled),
        ],
        HEIGHT,
        annotations=notes,
        shapes=[zero_line()],
        hovermode="x",
        xaxis=frame.date_axis(range=_span([*days, *ahead])),
        yaxis=frame.money_axis("Net savings so far, $", range=_heights(settled, ahead)),
    )


def known_days(days: Rows) -> Rows:
    """Returns the settled days whose cumulative net (saving less investment) is known."""
    return [row for row in days if row["settled"] and row["cumulative_net"] is not None]


def unknown_since(days: Rows) -> date | None:
    """Returns the first settled day whose cumulative net is unknown; None without one."""
    lost = (row["date"] for row in days if row["settled"] and row["cumulative_net"] is None)
    return next(lost, None)


def summary(days: Rows, standing: dict[str, Any]) -> str:
    """Describes the chart of net savings in words, for readers who cannot see it."""
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
    """Returns a savings curve's days, from the day before the first total other than zero on."""
    first = next((i for i, row in enumerate(days) if row["cumulative_net"]), 0)
    return days[max(first - 1, 0) :]


def _line(settled: Rows) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "Net savings so far",
        "x": dates_of(settled),
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
        "x": dates_of(settled),
        "y": [max(height, 0) if sign > 0 else min(height, 0) for height in heights],
        "line": {"width": 0},
        "fill": "tozeroy",
        "fillcolor": colour,
        "hoverinfo": "skip",
    }


def _middle(days: Rows) -> date:
    found: date = days[len(days) // 2]["date"]
    return found


def _heights(settled: Rows, ahead: Rows) -> list[float]:
    """Returns the range of the savings chart's vertical axis, with room for the newest amount."""
    ends = [drawn(row[name]) or 0.0 for row in ahead for name in ("low", "high")]
    heights = [0.0, *ends, *(drawn(row["cumulative_net"]) or 0.0 for row in settled)]
    room = (max(heights) - min(heights)) * ROOM or 1.0
    return [min(heights) - room, max(heights) + room]


def _length(days: Rows) -> timedelta:
    return timedelta() if not days else days[-1]["date"] - days[0]["date"]


def _span(days: Rows) -> list[str]:
    first, last = days[0]["date"], days[-1]["date"]
    return [first.isoformat(), (last + timedelta(days=1)).isoformat()]

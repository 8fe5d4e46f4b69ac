"""Draws the forecast of net savings: its median, its 80 % interval, and the break-even date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dashboard.charts import frame
from dashboard.wording import theme
from dashboard.wording.forecast import break_even_span
from dashboard.wording.format import GAP, drawn, saving

Rows = Sequence[dict[str, Any]]
BEYOND = timedelta(weeks=4)
"""How long the forecast is drawn after the last date of the break-even interval."""
WITHOUT_DATE = timedelta(weeks=26)
BAND = "rgba(117,102,214,0.18)"


def weeks_to_draw(weeks: Rows, standing: dict[str, Any]) -> Rows:
    """Returns a forecast's weeks to 4 weeks past the break-even interval; without one, 26 weeks."""
    if not weeks:
        return weeks
    dates = [standing[f"forecast_{name}"] for name in ("low", "median", "high")]
    if dates[0] is None:
        end = weeks[0]["date"] + WITHOUT_DATE
    else:
        end = (dates[2] or weeks[-1]["date"]) + BEYOND
    return [week for week in weeks if week["date"] <= end]


def forecast_traces(weeks: Rows) -> list[frame.Trace]:
    """Returns a forecast's 80 % interval and dashed median as chart traces; none without weeks."""
    return [_band(weeks), _median(weeks)] if weeks else []


def expected_break_even(standing: dict[str, Any], weeks: Rows) -> list[frame.Trace]:
    """Returns traces of the break-even interval (bar) and median (diamond); empty if unknown."""
    low, median, high = (standing.get(f"forecast_{name}") for name in ("low", "median", "high"))
    if not weeks or low is None:
        return []
    ends = [low, high or weeks[-1]["date"]]
    text = f"Break-even expected {break_even_span(low, median, high)}"
    bar = {
        "type": "scatter",
        "mode": "lines",
        "name": "Break-even, 80 %",
        "x": [end.isoformat() for end in ends],
        "y": [0, 0],
        "customdata": [text, text],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": theme.GAIN_LINE, "width": 5},
    }
    return [bar, *([_diamond(median, text)] if median else [])]


def _diamond(median: date, text: str) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [median.isoformat()],
        "y": [0],
        "customdata": [text],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {
            "symbol": "diamond-open",
            "size": 12,
            "color": theme.GAIN_LINE,
            "line": {"width": 2.5},
        },
    }


def _band(weeks: Rows) -> frame.Trace:
    there, back = list(weeks), list(reversed(weeks))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "80 % of simulations",
        "x": [week["date"].isoformat() for week in [*there, *back]],
        "y": [*(drawn(week["high"]) for week in there), *(drawn(week["low"]) for week in back)],
        "fill": "toself",
        "fillcolor": BAND,
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _median(weeks: Rows) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "Forecast",
        "x": [week["date"].isoformat() for week in weeks],
        "y": [drawn(week["median"]) for week in weeks],
        "customdata": [_hover_text(week) for week in weeks],
        "hovertemplate": "%{x|%-d %b %Y}<br>%{customdata}<extra></extra>",
        "line": {"color": theme.SAVINGS, "width": 2, "dash": "dash"},
    }


def _hover_text(week: dict[str, Any]) -> str:
    interval = f"{saving(week['low'])} to {saving(week['high'])}"
    return f"Forecast <b>{saving(week['median'])}</b><br>80{GAP}%: {interval}"

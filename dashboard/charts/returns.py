"""Draws the return on investment over time: −100 % is nothing back yet, zero is break-even."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.charts.net_savings_marks import zero_line
from dashboard.wording import theme
from dashboard.wording.format import day, drawn, percent, signed
from models.contract.schema import PORTFOLIO

Rows = Sequence[dict[str, Any]]
HEIGHT = 340
TITLE = "Return on investment"
WHOLE = "All workloads"
LOOKS = (
    ("#1c8c8c", "square", "dash"),
    ("#b5468f", "circle", "dot"),
    ("#8c7a12", "triangle-up", "dashdot"),
    (theme.QUIET, "triangle-down", "longdash"),
)
"""Colour, symbol and line of each workload beside the whole: none is the colour of a hardware."""


def known(rows: Rows) -> Rows:
    """Returns the rows whose return on investment is known."""
    return [row for row in rows if row["roi"] is not None]


def daily_return(days: Rows) -> frame.Figure:
    """Draws the return on investment of one move as it stood at the end of each settled day."""
    return _figure([_line(TITLE, known(days), theme.SAVINGS, "lines")])


def monthly_returns(ends: Rows, workloads: Sequence[str]) -> frame.Figure:
    """Draws returns on investment at each month's end, a line for each of the first five moves."""
    traces = []
    looks = ((theme.SAVINGS, "diamond", "solid"), *LOOKS)
    for workload, (colour, symbol, dash) in zip(workloads, looks, strict=False):
        rows = known([row for row in ends if row["workload"] == workload])
        line = _line(named(workload), rows, colour, "lines+markers")
        line["marker"] = {"symbol": symbol, "size": 8, "color": colour}
        line["line"] |= {"dash": dash}
        traces.append(line)
    return _figure(traces)


def named(workload: str) -> str:
    """Returns a curve's label in the return-on-investment chart: a workload, or `All workloads`."""
    return WHOLE if workload == PORTFOLIO else workload


def _figure(traces: list[frame.Trace]) -> frame.Figure:
    several = len(traces) > 1
    return frame.figure(
        traces,
        HEIGHT,
        hovermode="closest" if several else "x",
        showlegend=several,
        shapes=[zero_line()],
        xaxis=frame.date_axis(),
        yaxis=frame.titled_axis(f"{TITLE}, %", tickformat=",.0%", nticks=6),
    )


def _line(name: str, rows: Rows, colour: str, mode: str) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": mode,
        "name": escaped(name),
        "x": [row["date"].isoformat() for row in rows],
        "y": [drawn(row["roi"]) for row in rows],
        "customdata": [
            f"{escaped(name)} · {day(row['date'])}<br><b>{shown(row)}</b>" for row in rows
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": colour, "width": 2.5},
    }


def shown(row: dict[str, Any]) -> str:
    """Formats a row's return on investment as a signed percentage with one decimal."""
    return signed(percent(row["roi"], 1), row["roi"])


def summary(rows: Rows) -> str:
    """Describes the return of one move in words, for readers who cannot see the chart."""
    first, last = rows[0], rows[-1]
    return (
        f"{TITLE} from {day(first['date'])} to {day(last['date'])}: "
        f"it began at {shown(first)} and is {shown(last)} now."
    )

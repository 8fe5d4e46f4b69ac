"""Draws what an accelerator-hour cost on each platform beside its list price, and Spot prices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.wording import theme
from dashboard.wording.format import day, drawn, month, number, percent, plain, rounded, signed

Row = dict[str, Any]
Rows = Sequence[Row]
HEIGHT = 360
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down")
NOTES = 6
"""How many price changes are named; further ones keep their line."""
NOTE = 0.07
"""The part of the chart's height that a name takes."""


def rates(rows: Rows, changes: Rows, period: str) -> frame.Figure:
    """Draws what each platform's accelerator-hour cost (with marks) and its list price (dotted)."""
    platforms = list(dict.fromkeys(row["platform"] for row in rows))
    notes = _notes(changes)
    traces: list[frame.Trace] = []
    for place, name in enumerate(platforms):
        mine = [row for row in rows if row["platform"] == name and row["hours"]]
        traces += [_listed(mine), _paid(mine, place, period)]
    return frame.figure(
        traces,
        HEIGHT,
        showlegend=True,
        shapes=[frame.vertical(each) for each in sorted({row["since"] for row in changes})],
        annotations=notes,
        xaxis=frame.date_axis(),
        yaxis=frame.money_axis("Per accelerator-hour, $", **_span(traces, len(notes))),
    )


def _span(traces: Sequence[frame.Trace], notes: int) -> dict[str, Any]:
    """Returns the dollar axis's settings: from 0, with room on top for names of price changes."""
    highest = max((dollars for trace in traces for dollars in trace["y"]), default=0)
    if not notes or not highest:
        return {"rangemode": "tozero"}
    return {"range": [0, highest * 1.03 / (1 - NOTE * notes)]}


def spot(rows: Rows, until: str) -> frame.Figure:
    """Draws Spot prices per accelerator-hour, a stepped line per instance type and region."""
    series: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        series.setdefault((row["instance_type"], row["region"]), []).append(row)
    traces = [_steps(*key, found, n, until) for n, (key, found) in enumerate(series.items())]
    return frame.figure(
        traces,
        HEIGHT,
        showlegend=True,
        xaxis=frame.date_axis(),
        yaxis=frame.money_axis("Spot, per accelerator-hour, $", rangemode="tozero"),
    )


def _paid(rows: Rows, place: int, period: str) -> frame.Trace:
    look = theme.hardware(rows[0]["hardware"] if rows else None)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escaped(str(rows[0]["platform"])) if rows else "",
        "x": [row["period_start"].isoformat() for row in rows],
        "y": [drawn(row["cost"] / row["hours"]) for row in rows],
        "customdata": [_hover(row, period) for row in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": look.colour, "width": 2.25, "dash": look.dash},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8, "color": look.colour},
    }


def _listed(rows: Rows) -> frame.Trace:
    look = theme.hardware(rows[0]["hardware"] if rows else None)
    known = [row for row in rows if row["list"] is not None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [row["period_start"].isoformat() for row in known],
        "y": [drawn(row["list"] / row["hours"]) for row in known],
        "hoverinfo": "skip",
        "showlegend": False,
        "opacity": 0.7,
        "line": {"color": look.colour, "width": 1.25, "dash": "dot"},
    }


def _hover(row: Row, period: str) -> str:
    start = row["period_start"]
    when = month(start) if period == "month" else f"Week of {day(start)}"
    paid = row["cost"] / row["hours"]
    listed = "no list price"
    if row["list"] is not None:
        listed = f"list ${plain(rounded(row['list'] / row['hours'], 4))}"
        if row["list"]:
            more = row["cost"] / row["list"] - 1
            listed += f"; difference {signed(percent(more, 1), more)}"
    return (
        f"{escaped(str(row['platform']))} · {when}<br><b>${plain(rounded(paid, 4))}</b> an "
        f"accelerator-hour<br>{listed}<br>{number(row['hours'])} accelerator-hours"
    )


def _notes(changes: Rows) -> list[dict[str, Any]]:
    largest = sorted(changes, key=lambda row: -abs(_change(row)))[:NOTES]
    return [
        {
            "x": row["since"].isoformat(),
            "y": 1 - NOTE * place,
            "yref": "paper",
            "yanchor": "top",
            "xanchor": "left",
            "xshift": 5,
            "showarrow": False,
            "text": f"{escaped(str(row['instance_type']))} list "
            f"{signed(percent(_change(row)), _change(row))}",
            "hovertext": f"{day(row['since'])}, {escaped(str(row['region']))}",
            "font": {"size": 11},
            "bgcolor": "white",
        }
        for place, row in enumerate(sorted(largest, key=lambda row: row["since"]))
    ]


def _change(row: Row) -> Any:  # noqa: ANN401  # a ratio of decimals
    return row["usd_per_hour"] / row["previous_usd_per_hour"] - 1


def _steps(kind: str, region: str, rows: Rows, place: int, until: str) -> frame.Trace:
    """Returns a stepped trace of the Spot prices of a type and region, cut off at `until`."""
    look = theme.hardware(rows[0]["hardware"])
    ends = [min(row["until"].isoformat(), until) if row["until"] else until for row in rows]
    days = [row["since"].isoformat() for row in rows] + ends[-1:]
    prices = [drawn(row["usd"]) for row in rows]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": f"{escaped(kind)}, {escaped(region)}",
        "x": days,
        "y": [*prices, prices[-1]],
        "hovertemplate": "%{x|%-d %b %Y}<br><b>$%{y:.4f}</b> an accelerator-hour",
        "line": {"color": look.colour, "width": 1.75, "dash": look.dash, "shape": "hv"},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "color": look.colour},
    }

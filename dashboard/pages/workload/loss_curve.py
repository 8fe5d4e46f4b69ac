"""Draws loss against dollars, machine-hours or the clock, a line per run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.wording import theme
from dashboard.wording.format import dollars, drawn, number

Rows = Sequence[dict[str, Any]]
HEIGHT = 360
START_SIZE = 5
ROOM = 0.08
"""Share of the range of all losses that is left free on either side."""
AXES = {
    "dollars": ("cost_so_far", "Cost of the run so far, $"),
    "hours": ("hours_so_far", "Instance-hours so far"),
    "clock": ("clock_so_far", "Hours by the clock since it began"),
}


def loss_curve(rows: Rows, axis: str, target: float | None) -> frame.Figure:
    """Draws the loss of runs against dollars or time, coloured by hardware, with the target."""
    column, title = AXES[axis]
    runs = [(run, list(points)) for run, points in groupby(rows, key=lambda row: row["run"])]
    seen: set[str] = set()
    traces = [_line(run, points, column, seen) for run, points in runs]
    x_axis = frame.money_axis(title) if axis == "dollars" else frame.titled_axis(title)
    return frame.figure(
        traces,
        HEIGHT,
        showlegend=True,
        xaxis=x_axis | {"rangemode": "tozero", "showgrid": False, "ticklabelstandoff": 6},
        yaxis=frame.titled_axis("Training loss", range=_span(rows, target)),
        shapes=[_target_line(target)] if target is not None else [],
        annotations=[_target_label(target)] if target is not None else [],
    )


def placed(rows: Rows, axis: str) -> Rows:
    """Returns the rows of runs that have hours and a value on the chosen axis; drops other runs."""
    column, _ = AXES[axis]
    known = {row["run"] for row in rows if row[column] and row["hours_so_far"]}
    return [row for row in rows if row["run"] in known]


def _span(rows: Rows, target: float | None) -> list[float]:
    """Returns the range of the loss axis, with some room above and below."""
    losses = [row["loss"] for row in rows] + ([] if target is None else [target])
    low, high = min(losses), max(losses)
    room = (high - low) * ROOM or abs(high) * ROOM or 1.0
    return [low - room, high + room]


def _line(run: str, points: Rows, column: str, seen: set[str]) -> frame.Trace:
    hardware = theme.hardware(points[0]["hardware"])
    text = f"{escaped(run)} · {hardware.label}"
    first = hardware.label not in seen
    seen.add(hardware.label)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": hardware.label,
        "legendgroup": hardware.label,
        "showlegend": first,
        "x": [drawn(row[column]) for row in points],
        "y": [row["loss"] for row in points],
        "customdata": [_hover(text, row) for row in points],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"color": hardware.colour, "width": 1.75, "dash": hardware.dash},
        "marker": {
            "symbol": hardware.symbol,
            "color": hardware.colour,
            "size": _starts(points),
            "line": {"width": 0},
        },
        "opacity": 0.85,
    }


def _starts(points: Rows) -> list[int]:
    """Returns a marker size for each loss of a run: visible for the first one, 0 for the rest."""
    return [START_SIZE, *[0] * (len(points) - 1)]


def _hover(label: str, row: dict[str, Any]) -> str:
    at = "" if row["epoch"] is None else f" at epoch {number(row['epoch'], 2)}"
    return (
        f"{label}<br>loss <b>{number(row['loss'], 3)}</b>{at}"
        f"<br>{dollars(row['cost_so_far'])} · {number(row['hours_so_far'], 1)} h"
    )


def _target_line(target: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": target,
        "y1": target,
        "line": {"color": theme.GAIN_LINE, "width": 1.5, "dash": "dashdot"},
    }


def _target_label(target: float) -> dict[str, Any]:
    return {
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "y": target,
        "yshift": 9,
        "showarrow": False,
        "text": f"target loss {number(target, 3)}",
        "font": {"size": 11},
        "bgcolor": "white",
    }

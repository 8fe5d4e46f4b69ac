"""Draws who occupied a pool over time as stacked areas; idle time is grey and hatched."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.pages.clusters.wording import UNDELIVERED, UNKNOWN_JOBS, reason_name
from dashboard.wording import theme
from dashboard.wording.format import count, day, drawn, number

Row = dict[str, Any]
HEIGHT = 380
MOST = 6
"""How many workloads have an area of their own, those that held most."""
STEPS = {"day": timedelta(days=1), "week": timedelta(days=7)}


class Look(NamedTuple):
    """How an area of a chart is drawn: its colour, and its hatching (empty for none)."""

    colour: str
    pattern: str = ""


WORKLOADS = (
    Look("#4c6b8a"),
    Look("#c08f45", "."),
    Look("#6f7d3c", "-"),
    Look("#9c6496", "|"),
    Look("#3f8583", "+"),
    Look("#8b6f63", "\\"),
)
OTHERS, UNKNOWN = Look("#b3a58c", "x"), Look("#c43d4b", "x")
IDLE = {
    "idle": Look(theme.QUIET, "/"),
    "drained": Look(theme.QUIET, "\\"),
    "down": Look(theme.QUIET, "x"),
    "health_check": Look(theme.QUIET, "-"),
    "maintenance": Look(theme.QUIET, "|"),
    "undelivered": Look(theme.QUIET, "."),
}


class Area(NamedTuple):
    """One area of a pool's chart: name, look, hours by day or week, and whether it is idle time."""

    name: str
    look: Look
    hours: dict[date, Decimal]
    idle: bool = False


def use_chart(rows: Sequence[Row], step: str, settled: date | None) -> frame.Figure:
    """Draws a pool's accelerator-hours by day or week, stacked by workload or reason to be idle."""
    days = _steps(rows, step)
    found = areas(rows)
    traces = [_trace(area, days, step, whole=area is found[0]) for area in found]
    return frame.figure(
        traces,
        HEIGHT,
        hovermode="x unified",
        showlegend=True,
        legend=frame.LEGEND | {"traceorder": "normal"},
        shapes=_open_days(days, settled, step),
        annotations=_open_note(days, settled, step),
        xaxis=frame.date_axis(),
        yaxis=frame.titled_axis(f"Accelerator-hours a {step}", rangemode="tozero", nticks=6),
    )


def areas(rows: Sequence[Row]) -> list[Area]:
    """Returns a chart's areas from the bottom: 6 workloads, the others, unknown jobs, idle time."""
    held = _by(rows, "held", "workload")
    order = sorted(held, key=lambda name: (-sum(held[name].values()), name))
    found = [
        Area(name, look, held[name]) for name, look in zip(order[:MOST], WORKLOADS, strict=False)
    ]
    if rest := order[MOST:]:
        hours = _added([held[name] for name in rest])
        found.append(Area(count(len(rest), "other workload"), OTHERS, hours))
    if unknown := _added(list(_by(rows, "unknown", "holding").values())):
        found.append(Area(UNKNOWN_JOBS, UNKNOWN, unknown))
    return found + _idle_areas(rows)


def _idle_areas(rows: Sequence[Row]) -> list[Area]:
    reasons = {row["holding"] for row in rows} - {"held", "unknown"}
    order = sorted(reasons, key=lambda name: (list(IDLE).index(name) if name in IDLE else 9, name))
    return [
        Area(
            UNDELIVERED if name == "undelivered" else f"Idle: {reason_name(name).lower()}",
            IDLE.get(name, Look(theme.QUIET, "/")),
            _added(list(_by(rows, name, "holding").values())),
            idle=True,
        )
        for name in order
    ]


def _by(rows: Sequence[Row], holding: str, key: str) -> dict[str, dict[date, Decimal]]:
    """Maps a column's values to hours by day or week, over rows of one state (held, idle …)."""
    sums: dict[str, dict[date, Decimal]] = {}
    for row in rows:
        if row["holding"] == holding:
            each = sums.setdefault(str(row[key] or UNKNOWN_JOBS), {})
            each[row["begins"]] = each.get(row["begins"], Decimal(0)) + row["hours"]
    return sums


def _added(parts: Sequence[dict[date, Decimal]]) -> dict[date, Decimal]:
    every = sorted({begins for part in parts for begins in part})
    return {at: sum((part.get(at, Decimal(0)) for part in parts), Decimal(0)) for at in every}


def _steps(rows: Sequence[Row], step: str) -> list[date]:
    """Lists each day or week from first to last, also those in which the pool had no machine."""
    first, last = min(row["begins"] for row in rows), max(row["begins"] for row in rows)
    each = STEPS[step]
    return [first + each * n for n in range((last - first) // each + 1)]


def _trace(area: Area, days: Sequence[date], step: str, *, whole: bool) -> frame.Trace:
    """Returns the chart trace of an area, with or without its points of 0 h."""
    points = [(begins, area.hours.get(begins, Decimal(0))) for begins in days]
    points.append((days[-1] + STEPS[step], points[-1][1]))
    points = [point for point in points if whole or point[1]]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escaped(area.name),
        "stackgroup": "pool",
        "x": [begins.isoformat() for begins, _ in points],
        "y": [drawn(value) for _, value in points],
        "customdata": [f"{number(value)} h" for _, value in points],
        "hovertemplate": "%{customdata}",
        "line": {"width": 0, "color": area.look.colour, "shape": "hv"},
        "fillcolor": "rgba(118,127,138,0.16)" if area.idle else area.look.colour,
        "fillpattern": _pattern(area),
    }


def _pattern(area: Area) -> dict[str, Any]:
    """Returns an area's hatching as Plotly settings: grey for idle time, light for workloads."""
    if not area.look.pattern:
        return {"shape": ""}
    light = {"fgcolor": "rgba(255,255,255,0.55)", "bgcolor": area.look.colour, "solidity": 0.18}
    grey = {"fgcolor": theme.QUIET, "bgcolor": "rgba(118,127,138,0.16)", "solidity": 0.3}
    return {"shape": area.look.pattern, "size": 7, **(grey if area.idle else light)}


def _open_days(days: Sequence[date], settled: date | None, step: str) -> list[dict[str, Any]]:
    """Returns a list with a vertical line after the last settled day; empty if no day follows."""
    begins = _open_from(days, settled, step)
    return [frame.vertical(begins)] if begins else []


def _open_note(days: Sequence[date], settled: date | None, step: str) -> list[dict[str, Any]]:
    begins = _open_from(days, settled, step)
    if begins is None or settled is None:
        return []
    return [
        {
            "x": begins.isoformat(),
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "xanchor": "right",
            "xshift": -5,
            "showarrow": False,
            "text": f"settled through {day(settled)}",
            "font": {"size": 11},
            "bgcolor": "white",
        }
    ]


def _open_from(days: Sequence[date], settled: date | None, step: str) -> date | None:
    if settled is None or days[-1] + STEPS[step] <= settled + timedelta(days=1):
        return None
    begins = settled + timedelta(days=1)
    return begins if begins >= days[0] else None

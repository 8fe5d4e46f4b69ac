"""Draws the curve of cumulative net saving as a small SVG chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from math import ceil, floor, log10

from models.records.statement import Row

WIDTH, HEIGHT = 520, 170
LEFT, RIGHT, TOP, BOTTOM = 62, 10, 8, 22
MARKS = 4
FONT = "Libertinus Serif"
Point = tuple[float, float]


def curve(rows: Sequence[Row], fan: Sequence[Row] = ()) -> str:
    """Draws cumulative net saving over time as an SVG chart; empty for fewer than two points.

    `fan` is the forecast by week: `low`, `median` and `high` of the simulations.
    """
    if len(rows) < 2:
        return ""
    days = [row["date"].toordinal() for row in rows]
    values = [float(row["cumulative_net"]) for row in rows]
    ahead = [float(row[name]) for row in fan for name in ("low", "high")]
    last = max(days[-1], *(row["date"].toordinal() for row in fan)) if fan else days[-1]
    ticks = _ticks(min(0.0, *values, *ahead), max(0.0, *values, *ahead))
    low, high = ticks[0], ticks[-1]

    def place(day: float, value: float) -> Point:
        across = (day - days[0]) / (last - days[0]) * (WIDTH - LEFT - RIGHT)
        down = (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return LEFT + across, TOP + down

    grid = [_level(place(days[0], tick), place(last, tick), tick) for tick in ticks]
    line = " ".join(f"{x:.2f},{y:.2f}" for x, y in map(place, days, values))
    marks = [_month(place(day.toordinal(), low), day) for day in _months([*rows, *fan])]
    x, y = place(days[-1], values[-1])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="{FONT}" font-size="8.5">{"".join(grid)}{"".join(marks)}{_fan(fan, place)}'
        f'<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="1.6"/>'
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2.6" fill="#0072B2"/></svg>'
    )


def _fan(rows: Sequence[Row], place: Callable[[float, float], Point]) -> str:
    """Draws the interval of a forecast as an area, and its median as a dashed line."""
    if not rows:
        return ""

    def line(name: str, of: Sequence[Row]) -> str:
        points = (place(row["date"].toordinal(), float(row[name])) for row in of)
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)

    area = f"{line('low', rows)} {line('high', rows[::-1])}"
    return (
        f'<polygon points="{area}" fill="#0072B2" fill-opacity="0.15"/>'
        f'<polyline points="{line("median", rows)}" fill="none" stroke="#0072B2" '
        'stroke-width="1.1" stroke-dasharray="4 3"/>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Returns evenly spaced round numbers for an axis that enclose a low and a high value."""
    span = max(high - low, 1.0)
    rough = span / MARKS
    unit = 10 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [step * n for n in range(first, max(last, first + 1) + 1)]


def _level(start: Point, end: Point, value: float) -> str:
    heavy = "#444" if value == 0 else "#ddd"
    text = f"{Decimal(round(value, 6)):,.0f}"
    return (
        f'<line x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{end[0]:.2f}" y2="{end[1]:.2f}" '
        f'stroke="{heavy}" stroke-width="0.6"/>'
        f'<text x="{LEFT - 5}" y="{start[1] + 3:.2f}" text-anchor="end">{text}</text>'
    )


def _months(rows: Sequence[Row]) -> list[date]:
    """Returns the firsts of at most six months, evenly spaced, between the rows' first and last."""
    first, last = rows[0]["date"], rows[-1]["date"]
    whole = range(first.year * 12 + first.month, last.year * 12 + last.month)
    every = max(1, ceil(len(whole) / 6))
    return [date(n // 12, n % 12 + 1, 1) for n in whole[::every]]


def _month(at: Point, day: date) -> str:
    return (
        f'<text x="{at[0]:.2f}" y="{HEIGHT - 6}" text-anchor="middle">{day:%b %Y}</text>'
        f'<line x1="{at[0]:.2f}" y1="{at[1]:.2f}" x2="{at[0]:.2f}" y2="{at[1] + 4:.2f}" '
        'stroke="#444" stroke-width="0.6"/>'
    )

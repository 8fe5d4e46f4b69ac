"""Draws the curve of cumulative net saving less investment as a small SVG chart."""

from __future__ import annotations

from collections.abc import Sequence

from models.documents.pdf.axes import Axes, even_marks
from models.records.statement import Row

WIDTH, HEIGHT = 520, 170


def curve(rows: Sequence[Row], fan: Sequence[Row] = ()) -> str:
    """Draws saving less investment so far, and a forecast, as SVG text; empty below two points.

    The points are `cumulative_net` by date. `fan` is the forecast by week: `low`, `median` and
    `high` of the simulations.
    """
    if len(rows) < 2:
        return ""
    points = [(row["date"], float(row["cumulative_net"])) for row in rows]
    heights = [0.0, *(value for _, value in points)]
    heights += [float(row[name]) for row in fan for name in ("low", "high")]
    last = max(row["date"] for row in [*rows, *fan])
    marks = even_marks(min(heights), max(heights))
    axes = Axes(WIDTH, HEIGHT, points[0][0], last, marks)
    x, y = axes.place(*points[-1])
    return axes.svg(
        f"{_fan(fan, axes)}"
        f'<polyline points="{axes.line(points)}" fill="none" stroke="#0072B2" stroke-width="1.6"/>'
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2.6" fill="#0072B2"/>'
    )


def _fan(rows: Sequence[Row], axes: Axes) -> str:
    """Draws the interval of a forecast as an area, and its median as a dashed line."""
    if not rows:
        return ""

    def line(name: str, of: Sequence[Row]) -> str:
        return axes.line((row["date"], float(row[name])) for row in of)

    area = f"{line('low', rows)} {line('high', rows[::-1])}"
    return (
        f'<polygon points="{area}" fill="#0072B2" fill-opacity="0.15"/>'
        f'<polyline points="{line("median", rows)}" fill="none" stroke="#0072B2" '
        'stroke-width="1.1" stroke-dasharray="4 3"/>'
    )

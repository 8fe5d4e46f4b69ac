"""Draws what a unit of work cost by month, on GPU and on Trainium, as a small SVG chart."""

from __future__ import annotations

from collections.abc import Sequence

from models.documents.pdf.axes import Axes, even_marks
from models.records.statement import Row

WIDTH, HEIGHT, LEFT = 250, 118, 40
SIDES = (("gpu", "GPU", "#2f7fc4", "4 2"), ("trainium", "Trainium", "#d9621c", ""))
"""Hardware, its name, its colour on every page, and the dashes of its line."""


def cost_curve(rows: Sequence[Row]) -> str:
    """Draws cost per unit of work by month and hardware as SVG text; empty below two months.

    The axis begins at zero. Each line has its name at its end.
    """
    months = sorted({row["period_start"] for row in rows})
    if len(months) < 2:
        return ""
    marks = even_marks(0.0, max(float(row["cost_per_epoch"]) for row in rows))
    axes = Axes(WIDTH, HEIGHT, months[0], months[-1], marks, LEFT)
    return axes.svg("".join(_side(rows, axes, *side) for side in SIDES))


def _side(
    rows: Sequence[Row], axes: Axes, hardware: str, name: str, colour: str, dashes: str
) -> str:
    mine = [row for row in rows if row["hardware"] == hardware]
    if not mine:
        return ""
    points = [(row["period_start"], float(row["cost_per_epoch"])) for row in mine]
    x, y = axes.place(*points[-1])
    anchor = "end" if x > axes.width / 2 else "start"
    dots = "".join(
        f'<circle cx="{at:.2f}" cy="{down:.2f}" r="1.7" fill="{colour}"/>'
        for at, down in (axes.place(*point) for point in points)
    )
    return (
        f'<polyline points="{axes.line(points)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.4" stroke-dasharray="{dashes}"/>{dots}'
        f'<text x="{x:.2f}" y="{y - 5:.2f}" text-anchor="{anchor}" fill="{colour}">{name}</text>'
    )

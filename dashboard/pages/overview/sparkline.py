"""Draws a trend in a table row as an inline image, so that a row needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import quote

from dash import html
from dash.development.base_component import Component

from dashboard.wording.format import dollars, drawn
from dashboard.wording.theme import TRAINIUM

WIDTH, HEIGHT, PAD = 104, 28, 3


def sparkline(values: Sequence[Decimal] | None, name: str, per: str) -> Component | None:
    """Draws the trend of cost per unit as a small inline image; None for fewer than two values.

    `per` names the unit: `per epoch`.
    """
    if not values or len(values) < 2:
        return None
    text = f"{name}: from {dollars(values[0])} to {dollars(values[-1])} {per}"
    return html.Img(src=_uri(_points(values)), alt=text, title=text, className="spark")


def _points(values: Sequence[Decimal]) -> list[tuple[float, float]]:
    numbers = [drawn(value) or 0.0 for value in values]
    low, high = min(numbers), max(numbers)
    span = (high - low) or 1.0
    step = (WIDTH - 2 * PAD) / (len(numbers) - 1)
    return [
        (PAD + index * step, HEIGHT - PAD - (value - low) / span * (HEIGHT - 2 * PAD))
        for index, value in enumerate(numbers)
    ]


def _uri(points: list[tuple[float, float]]) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<polyline points="{line}" fill="none" stroke="{TRAINIUM}" stroke-width="1.6" '
        'stroke-linejoin="round" stroke-linecap="round"/>'
        f'<rect x="{x - 2:.1f}" y="{y - 2:.1f}" width="4" height="4" fill="{TRAINIUM}"/></svg>'
    )
    return f"data:image/svg+xml,{quote(svg)}"

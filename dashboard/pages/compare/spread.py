"""Draws each run's own cost per unit of work, a row per group: how far its runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.wording import theme
from dashboard.wording.dimensions import Dimension
from dashboard.wording.format import cents, drawn, number
from dashboard.wording.units import Unit

Row = dict[str, Any]
GROUPS = 20
NAME = 28
"""How many letters of a group's name stand at the axis."""
LANES = (0.0, 0.2, -0.2, 0.1, -0.1, 0.3, -0.3)
"""Offsets from the middle of a row, so that runs of equal cost do not hide each other."""


def spread(rows: Sequence[Row], by: Dimension, unit: Unit) -> frame.Figure:
    """Draws each run's cost per unit as a mark in its group's row, for the 20 costliest groups."""
    sums: dict[str | None, Decimal] = {}
    for row in rows:
        sums[row["by"]] = sums.get(row["by"], Decimal(0)) + row["cost"]
    names = sorted(sums, key=lambda name: -sums[name])[:GROUPS]
    kinds = list(dict.fromkeys(row["hardware"] for row in rows))
    traces = [_marks(rows, names, kind, unit) for kind in kinds]
    ticks = [short(by.name(name)) for name in names]
    lanes = {"tickvals": list(range(len(names))), "ticktext": ticks, "showgrid": True}
    return frame.figure(
        traces,
        70 + 34 * max(len(names), 2),
        showlegend=len(kinds) > 1,
        margin={"l": 8, "r": 16, "t": 28, "b": 8},
        xaxis=frame.money_axis(f"Cost {unit.per} of a run, $", rangemode="tozero"),
        yaxis=frame.axis(range=[len(names) - 0.5, -0.5], **lanes),
    )


def short(name: str) -> str:
    """Returns a name cut to 28 letters, escaped for Plotly and isolated from text around it."""
    cut = name if len(name) <= NAME else name[: NAME - 1] + "…"
    return f"\u2068{escaped(cut)}\u2069"


def _marks(
    rows: Sequence[Row], names: Sequence[str | None], kind: str | None, unit: Unit
) -> frame.Trace:
    look = theme.hardware(kind)
    mine = [row for row in rows if row["hardware"] == kind and row["by"] in names]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": look.label,
        "x": [drawn(row["cost"] / row["epochs"]) for row in mine],
        "y": [names.index(row["by"]) + LANES[n % len(LANES)] for n, row in enumerate(mine)],
        "customdata": [_hover(row, unit) for row in mine],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 7, "opacity": 0.65},
    }


def _hover(row: Row, unit: Unit) -> str:
    return (
        f"{short(row['run'])} · {short(row['workload'])}<br>"
        f"<b>${cents(row['cost'] / row['epochs'])}</b> {unit.per}<br>"
        f"${cents(row['cost'])} ÷ {number(row['epochs'], 2)} {unit.many}"
    )

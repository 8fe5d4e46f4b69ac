"""Draws the 80 % intervals of the GPU baseline and of Trainium's mean cost per epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.charts import frame
from dashboard.wording.format import drawn

Rows = Sequence[dict[str, Any]]
ENDS = ("low", "high")
GPU_BAND = "rgba(47,127,196,0.14)"
TRAINIUM_BAND = "rgba(217,98,28,0.16)"


def intervals(periods: Rows, baseline: Rows, standing: dict[str, Any]) -> list[frame.Trace]:
    """Returns traces of 80 % bands around GPU baseline and Trainium's mean; empty if unknown."""
    if standing.get("trn_epoch_low") is None:
        return []
    days = [row["period_start"].isoformat() for row in periods if row["hardware"] == "trainium"]
    known = [row for row in baseline if row["value"] is not None]
    dates = [row["date"].isoformat() for row in known]
    around = [
        [drawn(row["value"] * (1 + standing[f"baseline_{end}"])) for row in known] for end in ENDS
    ]
    flat = [[drawn(standing[f"trn_epoch_{end}"])] * len(days) for end in ENDS]
    return [*_band(dates, around, GPU_BAND), *_band(days, flat, TRAINIUM_BAND)]


def _band(dates: list[str], edges: list[list[float | None]], colour: str) -> list[frame.Trace]:
    """Returns two traces: low and high edge of a filled band; empty without dates."""
    low, high = (_edge(dates, values) for values in edges)
    return [low, high | {"fill": "tonexty", "fillcolor": colour}] if dates else []


def _edge(dates: list[str], values: list[float | None]) -> frame.Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": dates,
        "y": values,
        "line": {"width": 0, "shape": "hv"},
        "hoverinfo": "skip",
        "showlegend": False,
    }

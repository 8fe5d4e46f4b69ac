"""Defines the layout that all figures share: size, margins, fonts, axes.

Each hardware has one colour everywhere, of a colour-blind-safe pair of equal weight, each at least
3:1 on the light and on the dark surface; line style and marker differ as well. Text, axes and grid
of a figure take their colour from `assets/figures.css`, so that one figure serves both schemes and
print.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from dashboard.wording.theme import QUIET

Figure = dict[str, Any]
Trace = dict[str, Any]
FONT = "Inter Variable, system-ui, sans-serif"
FEW = timedelta(days=7)
A_TICK_A_DAY: dict[str, Any] = {"dtick": 24 * 60 * 60 * 1000}
"""Of few days plotly would write each several times, once for every few hours."""
LEGEND: dict[str, Any] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
"""Above the plot, from its left edge; a figure has it with `showlegend`."""
CONFIG: Any = {"displayModeBar": False, "responsive": True}
"""Options of every `dcc.Graph`: no toolbar; dragging zooms, a double click resets."""


def figure(traces: list[Trace], height: int, **layout: object) -> Figure:
    """Builds a Plotly figure from traces in the shared layout; keyword arguments override it.

    The room above the plot is that of a legend where there is one.
    """
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 34 if layout.get("showlegend") else 22, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12},
        "hovermode": "closest",
        "showlegend": False,
        "legend": LEGEND,
        "uirevision": "keep",
        "xaxis": axis(showgrid=False),
        "yaxis": axis(),
        "hoverlabel": {"font": {"family": FONT, "size": 12}},
    }
    whole = base | layout
    if whole["xaxis"].get("type") == "date" and _are_few_days(traces):
        whole["xaxis"] = A_TICK_A_DAY | whole["xaxis"]
    return {"data": traces, "layout": whole}


def axis(**extra: object) -> dict[str, Any]:
    """Returns the shared settings of a chart axis, which makes room for its own labels."""
    quiet: dict[str, Any] = {"automargin": True, "zeroline": False, "ticks": "", "gridwidth": 1}
    return quiet | extra


def money_axis(title: str, **extra: object) -> dict[str, Any]:
    """Returns a titled dollar axis for a chart; its labels omit trailing zeros: $1,200, $0.5."""
    return axis(tickformat="$,~f", title=_title(title), nticks=6, **extra)


def titled_axis(title: str, **extra: object) -> dict[str, Any]:
    """Returns the settings of a plain chart axis with a title that names its unit."""
    return axis(title=_title(title), **extra)


def date_axis(**extra: object) -> dict[str, Any]:
    """Returns the settings of a date axis whose labels are written as the pages write dates."""
    formats = [
        {"dtickrange": [None, "M1"], "value": "%-d %b\n%Y"},
        {"dtickrange": ["M1", "M12"], "value": "%b\n%Y"},
        {"dtickrange": ["M12", None], "value": "%Y"},
    ]
    return axis(
        type="date",
        showgrid=False,
        ticklabelstandoff=4,
        tickformatstops=formats,
        hoverformat="%-d %b %Y",
        **extra,
    )


def _are_few_days(traces: Sequence[Trace]) -> bool:
    drawn = sorted(text[:10] for trace in traces for text in trace.get("x") or ())
    return bool(drawn) and date.fromisoformat(drawn[-1]) - date.fromisoformat(drawn[0]) <= FEW


def vertical(day: date) -> dict[str, Any]:
    """Returns a vertical line over the whole height of a chart at a day."""
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": day.isoformat(),
        "x1": day.isoformat(),
        "y0": 0,
        "y1": 1,
        "line": {"color": QUIET, "width": 1, "dash": "dot"},
        "layer": "below",
    }


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "standoff": 10, "font": {"size": 12}}

"""Renders what a move returns, and what each further month adds at the present pace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.card import card
from dashboard.widgets.tables.plain_table import listing
from dashboard.wording.explanations.savings import FORWARD
from dashboard.wording.forecast import pace_and_forecast
from dashboard.wording.format import dollars, number, percent, saving
from dashboard.wording.old_volume import why_no_pace

Row = dict[str, Any]
SILENT_AT_ZERO = ("payback_months", "runs_to_break_even", "gpu_overhead_ended")
"""Figures that are not shown at 0, which means that the move is paid for or nothing ended."""
TITLE = "If it goes on as now"
AT_OLD_VOLUME = "Saved at the volume trained before the move"


def going_on(
    standing: Row, settled: date | None = None, paceless: Sequence[Row] = ()
) -> Component | None:
    """Builds the card of return, pace, payback and further prospects; None where none is known.

    `settled` is the last settled day, `paceless` the kinds of work that make the saving at the old
    volume unknown.
    """
    rows = list(going_on_rows(standing))
    if not rows:
        return None
    notes = [pace_and_forecast(standing, settled)]
    notes += [f"{AT_OLD_VOLUME}: {why_no_pace(paceless)}"] if paceless else []
    shown = [html.P(note, className="note") for note in notes if note]
    return card(TITLE, html.Div([listing(TITLE, ("Figure", "Value"), rows), *shown]), FORWARD)


def going_on_rows(standing: Row) -> Iterator[tuple[str, str]]:
    """Yields name and text of up to ten known figures, such as return and months to break-even.

    Those in `SILENT_AT_ZERO` are left out at 0, too.
    """
    for title, name, shown in (
        ("Return on investment so far", "roi", percent),
        ("Saving per month compared with GPU", "forward_per_month", saving),
        ("Months to break-even, at that pace", "payback_months", _tenths),
        ("Runs to break-even, at that pace", "runs_to_break_even", number),
        (AT_OLD_VOLUME, "saving_at_old_volume", saving),
        ("Left of that after overhead and investment", "net_at_old_volume", saving),
        ("Engineer-days to spare", "headroom_days", number),
        ("Balance when training ends", "value_to_end", saving),
        ("Months from first investment to first run", "months_in_migration", _tenths),
        ("GPU use outside runs that ended, per month (no saving)", "gpu_overhead_ended", dollars),
    ):
        value = standing.get(name)
        if value is not None and (value or name not in SILENT_AT_ZERO):
            yield title, shown(value)


def _tenths(value: float) -> str:
    return number(value, 1)

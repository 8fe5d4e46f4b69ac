"""Shows what a move returns and what each month to come adds, if it goes on as now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dash.development.base_component import Component

from dashboard.widgets.card import card
from dashboard.widgets.plain_table import listing
from dashboard.wording.explanations.savings import FORWARD
from dashboard.wording.format import dollars, number, percent, saving

Row = dict[str, Any]
SILENT_AT_ZERO = ("payback_months", "runs_to_break_even", "gpu_overhead_ended")
"""Figures that are 0 once a move is paid for, or where nothing ended, and then say nothing."""
TITLE = "If it goes on as now"


def going_on(standing: Row) -> Component | None:
    """Builds the card with return, pace, payback and headroom; None where none of it is known."""
    rows = list(_rows(standing))
    return card(TITLE, listing(TITLE, ("Figure", "Value"), rows), FORWARD) if rows else None


def _rows(standing: Row) -> Iterator[tuple[str, str]]:
    """Yields each figure that is known with its name, return on investment first."""
    for title, name, shown in (
        ("Return on investment so far", "roi", percent),
        ("A month against GPU", "forward_per_month", saving),
        ("Months to break-even", "payback_months", _tenths),
        ("Runs to break-even", "runs_to_break_even", number),
        ("Saved at the volume trained before the move", "saving_at_old_volume", saving),
        ("Left of that after overhead and investment", "net_at_old_volume", saving),
        ("Engineer-days that it could have cost more", "headroom_days", number),
        ("Stands at, when training ends", "value_to_end", saving),
        ("Months from first investment to first run", "months_in_migration", _tenths),
        ("GPU use outside runs that ended, a month; in no saving", "gpu_overhead_ended", dollars),
    ):
        value = standing.get(name)
        if value is not None and (value or name not in SILENT_AT_ZERO):
            yield title, shown(value)


def _tenths(value: float) -> str:
    return number(value, 1)

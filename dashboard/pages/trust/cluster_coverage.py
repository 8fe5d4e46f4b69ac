"""Renders how much of each cluster's machines allocations explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import month_name, number, percent
from dashboard.wording.unknown import UNKNOWN_AMOUNT

Row = dict[str, Any]
HEAD = (
    "Cluster", "Month", "Coverage", "Accel.-hours", "Known", "Unknown jobs", "Idle",
    "Not delivered", "Over-allocated", "By day", "Days", "Days without allocations",
)  # fmt: skip
HOURS = (
    "accelerator_hours", "known_hours", "unknown_hours", "idle_hours", "undelivered_hours",
    "over_allocated_hours", "daily_hours",
)  # fmt: skip


def coverage_list(rows: Sequence[Row]) -> Component:
    """Builds the table of how much of each cluster's hours known jobs explain, by month."""
    if not rows:
        return empty(
            "No cluster has allocations in this range",
            "A source that tells which job held which machine fills this:",
            read="docs/schedulers.md",
        )
    return listing("Allocation coverage", HEAD, [_line(row) for row in rows], words=2)


def _line(row: Row) -> list[Cell]:
    name = html.A(row["cluster"], href="/clusters", **data(carry="from to"))
    share = UNKNOWN_AMOUNT if row["coverage"] is None else percent(row["coverage"], 1)
    missing = f"{row['undelivered_days']:,}"
    return [
        name,
        month_name(row["month"]),
        share,
        *(number(row[hours], 1) for hours in HOURS),
        f"{row['days']:,}",
        html.Strong(missing, className="bad") if row["undelivered_days"] else missing,
    ]

"""Every run in a virtualised grid: only the rows on the screen exist."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import dash_ag_grid as dag
from dash.development.base_component import Component

from dashboard.format import day, rounded
from dashboard.theme import HARDWARE, hardware
from dashboard.words import PARITY, reason

Row = dict[str, Any]

THEME = """themeQuartz.withParams({
  backgroundColor: 'var(--surface)', foregroundColor: 'var(--ink)', borderColor: 'var(--line)',
  headerBackgroundColor: 'var(--surface)', headerTextColor: 'var(--ink-2)',
  accentColor: 'var(--link)',
  rowHoverColor: 'var(--hover)', chromeBackgroundColor: 'var(--surface)', fontFamily: 'inherit',
  fontSize: 12.5, headerFontSize: 12, headerFontWeight: 500, cellHorizontalPadding: 8, iconSize: 13,
  wrapperBorderRadius: 8, browserColorScheme: 'inherit'})"""

MONEY = {
    "cost": "Cost, $",
    "cost_per_epoch": "$ per epoch",
    "idle_cost": "Idle, $",
    "repeated_cost": "Repeated, $",
    "unsettled": "Unsettled, $",
    "cost_to_target_loss": "Cost to target loss, $",
}
MONEY_WIDTH = {
    "cost": 78,
    "cost_per_epoch": 70,
    "idle_cost": 66,
    "repeated_cost": 74,
    "unsettled": 78,
    "cost_to_target_loss": 80,
}
DEFAULTS = {
    "sortable": True,
    "resizable": True,
    "filter": True,
    "flex": 1,
    "wrapHeaderText": True,
    "autoHeaderHeight": True,
}
SHOWN = 12
"""Up to this many runs the grid is as tall as they are; beyond, it scrolls."""


def runs_grid(rows: Sequence[Row], grid_id: str) -> Component:
    """The grid; columns that no run fills are left out."""
    records = [record(row) for row in rows]
    filled = {name for row in records for name, value in row.items() if value not in (None, "")}
    grid: Component = dag.AgGrid(
        id=grid_id,
        rowData=records,
        columnDefs=[column for column in _columns() if column["field"] in filled],
        defaultColDef=DEFAULTS,
        dashGridOptions={
            "theme": {"function": THEME},
            "animateRows": False,
            "rowHeight": 36,
            "domLayout": "normal" if len(rows) > SHOWN else "autoHeight",
            "enableCellTextSelection": True,
            "ensureDomOrder": True,
        },
        getRowId="params.data.run",
        className="grid",
        style={"height": "520px" if len(rows) > SHOWN else None, "width": "100%"},
    )
    return grid


def record(row: Row) -> Row:
    """What the browser gets of a run: words, dates and decimal text."""
    parity, _ = PARITY.get(row["parity"] or "", ("", ""))
    return {
        "run": row["run"],
        "hardware": hardware(row["hardware"]).label if row["hardware"] else "Unknown",
        "platform": row["platform"],
        "purpose": row["purpose"],
        "started_at": row["started_at"].isoformat() if row["started_at"] else None,
        "started": day(row["started_at"].date()) if row["started_at"] else None,
        "ended": day(row["ended_at"].date()) if row["ended_at"] else "running",
        "epochs": _text(row["epochs"], 2),
        "accelerator_hours": _text(row["accelerator_hours"], 1),
        "final_loss": row["final_loss"],
        "parity": parity,
        "flags": ", ".join(reason(flag) for flag in row["flags"] or ()),
        **{name: _text(row[name], 2) for name in MONEY},
    }


def _text(value: Decimal | None, places: int) -> str | None:
    """Rounded here, half-up; the browser only groups the digits."""
    return None if value is None else str(rounded(value, places))


def _columns() -> list[dict[str, Any]]:
    """Widths are the least that each needs: together they fit a desktop, and share what is left."""
    money = {name: _numeric(name, title, 2, MONEY_WIDTH[name]) for name, title in MONEY.items()}
    return [
        {"field": "run", "headerName": "Run", "pinned": "left", "width": 120},
        _left("hardware", "Hardware", 98) | {"cellClassRules": _marks()},
        _left("platform", "Platform", 82),
        _left("purpose", "Purpose", 90),
        _dated("started_at", "Started", "params.data.started"),
        _right("ended", "Ended", 98),
        _numeric("epochs", "Epochs", 2, 66),
        *money.values(),
        _numeric("accelerator_hours", "Accel.-hours", 1, 72, "Accelerator-hours"),
        _numeric("final_loss", "Final loss", 3, 56),
        _left("parity", "Quality", 78),
        _left("flags", "Flags", 90) | {"tooltipField": "flags", "flex": 2},
    ]


def _marks() -> dict[str, str]:
    return {h.css: f"params.value == '{h.label}'" for h in HARDWARE.values()}


def _left(field: str, title: str, width: int) -> dict[str, Any]:
    return {"field": field, "headerName": title, "minWidth": width}


def _right(field: str, title: str, width: int) -> dict[str, Any]:
    return {
        "field": field,
        "headerName": title,
        "type": "rightAligned",
        "filter": False,
        "minWidth": width,
    }


def _numeric(field: str, title: str, places: int, width: int, meaning: str = "") -> dict[str, Any]:
    value = f"params.data.{field} == null ? null : Number(params.data.{field})"
    shown = f"params.value == null ? '–' : d3.format(',.{places}f')(params.value)"
    return {
        **_right(field, title, width),
        "headerTooltip": meaning or title,
        "valueGetter": {"function": value},
        "valueFormatter": {"function": shown},
    }


def _dated(field: str, title: str, text: str) -> dict[str, Any]:
    """Sorts by the instant, shows the day."""
    return {**_right(field, title, 98), "valueFormatter": {"function": text}}

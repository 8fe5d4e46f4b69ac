"""Every run in a virtualised grid: only the rows on the screen exist."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import dash_ag_grid as dag
from dash.development.base_component import Component

from dashboard.format import day, rounded
from dashboard.theme import HARDWARE
from dashboard.words import PARITY, reason

Row = dict[str, Any]

THEME = """themeQuartz.withParams({
  backgroundColor: 'var(--surface)', foregroundColor: 'var(--ink)', borderColor: 'var(--line)',
  headerBackgroundColor: 'var(--surface)', headerTextColor: 'var(--ink-2)',
  accentColor: 'var(--link)',
  rowHoverColor: 'var(--hover)', chromeBackgroundColor: 'var(--surface)', fontFamily: 'inherit',
  fontSize: 13, headerFontWeight: 500, wrapperBorderRadius: 8, browserColorScheme: 'inherit'})"""

MONEY = {
    "cost": "Cost, $",
    "cost_per_epoch": "$ per epoch",
    "idle_cost": "Idle, $",
    "repeated_cost": "Repeated, $",
    "unsettled": "Unsettled, $",
    "cost_to_target_loss": "Cost to target loss, $",
}
DEFAULTS = {
    "sortable": True,
    "resizable": True,
    "filter": True,
    "minWidth": 80,
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
    hardware = HARDWARE.get(row["hardware"])
    parity, _ = PARITY.get(row["parity"] or "", ("", ""))
    return {
        "run": row["run"],
        "hardware": hardware.label if hardware else row["hardware"],
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
    money = {name: _numeric(name, title, 2) for name, title in MONEY.items()}
    return [
        {"field": "run", "headerName": "Run", "pinned": "left", "width": 150},
        {"field": "hardware", "headerName": "Hardware", "cellClassRules": _marks(), "width": 120},
        {"field": "platform", "headerName": "Platform", "width": 105},
        {"field": "purpose", "headerName": "Purpose", "width": 118},
        _dated("started_at", "Started", "params.data.started"),
        {
            "field": "ended",
            "headerName": "Ended",
            "type": "rightAligned",
            "filter": False,
            "width": 124,
        },
        _numeric("epochs", "Epochs", 2),
        money["cost"],
        money["cost_per_epoch"],
        money["idle_cost"],
        money["repeated_cost"],
        money["unsettled"],
        money["cost_to_target_loss"],
        _numeric("accelerator_hours", "Accelerator-hours", 1),
        _numeric("final_loss", "Final loss", 3),
        {"field": "parity", "headerName": "Quality", "width": 110},
        {"field": "flags", "headerName": "Flags", "minWidth": 180},
    ]


def _marks() -> dict[str, str]:
    return {h.css: f"params.value == '{h.label}'" for h in HARDWARE.values()}


def _numeric(field: str, title: str, places: int) -> dict[str, Any]:
    value = f"params.data.{field} == null ? null : Number(params.data.{field})"
    shown = f"params.value == null ? '–' : d3.format(',.{places}f')(params.value)"
    return {
        "field": field,
        "headerName": title,
        "type": "rightAligned",
        "filter": False,
        "valueGetter": {"function": value},
        "valueFormatter": {"function": shown},
        "width": 104,
    }


def _dated(field: str, title: str, text: str) -> dict[str, Any]:
    """Sorts by the instant, shows the day."""
    return {
        "field": field,
        "headerName": title,
        "valueFormatter": {"function": text},
        "type": "rightAligned",
        "filter": False,
        "width": 124,
    }

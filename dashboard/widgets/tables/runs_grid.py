"""Builds the virtualised grid of a workload's runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import dash_ag_grid as dag
from dash.development.base_component import Component

from dashboard.address.links import run_address
from dashboard.widgets.tables.columns import (
    DEFAULTS,
    MARKS,
    OPTIONS,
    Column,
    dated,
    left,
    numeric,
    right,
)
from dashboard.wording.dimensions import IDENTIFIED
from dashboard.wording.format import count, day, rounded
from dashboard.wording.reasons import reason
from dashboard.wording.statuses import PARITY, comparability_label
from dashboard.wording.theme import hardware
from dashboard.wording.units import words
from models.contract.units import shared

Row = dict[str, Any]

MONEY = {
    "cost": "Cost, $",
    "cost_per_epoch": "",
    "idle_cost": "Idle, $",
    "repeated_cost": "Repeated, $",
    "unsettled": "Unsettled, $",
    "cost_to_target_loss": "Cost to target loss, $",
}
MONEY_WIDTH = {
    "cost": 78,
    "cost_per_epoch": 70,
    "idle_cost": 70,
    "repeated_cost": 74,
    "unsettled": 78,
    "cost_to_target_loss": 80,
}
SHOWN = 12
"""Up to this many runs the grid grows with them; with more it scrolls."""


def runs_grid(rows: Sequence[Row], grid_id: str) -> Component:
    """Builds the grid of a workload's runs, without columns that are empty or say nothing new.

    The name of a run leads to its panel on Runs, where its cost and its lines of the bill are. What
    identifies a run is for `identified_note` to say. Where jobs waited, their platform makes
    room for it if it follows from the hardware.
    """
    unit = shared(row["unit"] for row in rows)
    records = [record(row) | {"href": run_address(row["workload"], row["run"])} for row in rows]
    filled = {name for row in records for name, value in row.items() if value not in (None, "")}
    if not any(_differs(row) for row in rows):
        filled.discard("comparability")
    filled.discard("identified_by")
    if "wait_hours" in filled and _follows(rows, "platform", "hardware"):
        filled.discard("platform")
    run, *others = columns(unit)
    shown = [column for column in others if column["field"] in filled]
    if unit is None:
        fields = ["epochs", *(column["field"] for column in shown)]
        shown.insert(len(fields) - 1 - fields[::-1].index("epochs"), left("unit", "Unit", 124))
    grid: Component = dag.AgGrid(
        id=grid_id,
        rowData=records,
        columnDefs=[run | {"cellRenderer": "GroupLink"}, *shown],
        defaultColDef=DEFAULTS,
        dashGridOptions=OPTIONS | {"domLayout": "normal" if len(rows) > SHOWN else "autoHeight"},
        getRowId="params.data.run",
        className="grid",
        style={"height": "520px" if len(rows) > SHOWN else None, "width": "100%"},
    )
    return grid


def identified_note(rows: Sequence[Row]) -> str | None:
    """Says how many runs a tag, a rule or an allocation identifies; None if tags identify all."""
    ways = Counter(row["identified_by"] for row in rows if row["identified_by"])
    if set(ways) <= {"tag"}:
        return None
    each = (
        f"{IDENTIFIED[way].lower()}: {count(ways[way], 'run')}" for way in IDENTIFIED if ways[way]
    )
    return f"Identified by {'; '.join(each)}. The panel of a run on Runs says which."


def _follows(rows: Sequence[Row], name: str, of: str) -> bool:
    """Returns whether a column has one value for each value of another one."""
    return len({(row[of], row[name]) for row in rows}) == len({row[of] for row in rows})


def record(row: Row) -> Row:
    """Converts a run to a row of a grid: words, dates and decimal text."""
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
        "unit": words(row["unit"]).many,
        "accelerator_hours": _text(row["accelerator_hours"], 1),
        "final_loss": row["final_loss"],
        "parity": parity,
        "comparability": comparability_label(row["comparability"]),
        "identified_by": IDENTIFIED.get(row["identified_by"] or ""),
        "wait_hours": _text(row["wait_hours"], 1),
        "flags": ", ".join(reason(flag) for flag in row["flags"] or ()),
        **{name: _text(row[name], 2) for name in MONEY},
    }


def _differs(row: Row) -> bool:
    return row["comparability"] not in (None, "comparable")


def _text(value: Decimal | None, places: int) -> str | None:
    """Rounds a number half-up and returns it as decimal text for a grid."""
    return None if value is None else str(rounded(value, places))


def columns(unit: str | None) -> list[Column]:
    """Returns the columns of a grid of runs; their headings name the `unit` of work."""
    titles = MONEY | {"cost_per_epoch": words(unit).price}
    money = {name: numeric(name, title, 2, MONEY_WIDTH[name]) for name, title in titles.items()}
    return [
        {"field": "run", "headerName": "Run", "pinned": "left", "width": 120},
        left("hardware", "Hardware", 98) | {"cellClassRules": MARKS},
        left("platform", "Platform", 82),
        left("purpose", "Purpose", 90),
        dated("started_at", "Started", "params.data.started"),
        right("ended", "Ended", 98),
        numeric("epochs", words(unit).many.capitalize(), 2, 66),
        *money.values(),
        numeric("accelerator_hours", "Accel.-hours", 1, 72, "Accelerator-hours"),
        numeric("final_loss", "Final loss", 3, 56),
        left("parity", "Quality", 78),
        left("comparability", "Work", 100) | {"tooltipField": "comparability"},
        left("identified_by", "Identified by", 80),
        numeric("wait_hours", "Queue wait, h", 1, 62, "Hours that its jobs waited for machines"),
        left("flags", "Flags", 90) | {"tooltipField": "flags", "flex": 2},
    ]

"""Shows the compared groups as a grid: a row each, or one dimension across the columns."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import dash_ag_grid as dag
from dash.development.base_component import Component

from dashboard.address.view import View
from dashboard.pages.compare.cost_per_epoch import per_epoch, per_hour, several_units
from dashboard.snapshot.runs.compared_runs import Axes
from dashboard.widgets.tables.columns import DEFAULTS, MARKS, OPTIONS, Column, left, numeric
from dashboard.wording.dimensions import Dimension
from dashboard.wording.format import rounded
from dashboard.wording.units import Unit, words
from models.contract.units import shared

Row = dict[str, Any]
SHOWN = 14
"""Up to this many rows the grid grows with them; with more it scrolls."""
SENT = 1000
"""How many rows the browser gets; the CSV has all."""
ACROSS = 24
"""Most values of the second dimension that become columns; the list layout has all."""
ALL = "All"
SEVERAL = "several units"


def comparison_grid(
    rows: Sequence[Row], of: Axes, view: View, grid_id: str, unit: Unit
) -> Component:
    """Builds the AG Grid of the compared groups: a list with a pinned row of sums, or a pivot."""
    columns, records = table(rows, of, view, unit)
    tall = len(records) > SHOWN
    grid: Component = dag.AgGrid(
        id=grid_id,
        rowData=records[:SENT],
        columnDefs=columns,
        defaultColDef=DEFAULTS,
        dashGridOptions=OPTIONS
        | {
            "domLayout": "normal" if tall else "autoHeight",
            "pinnedBottomRowData": [] if _pivoted(of, view) else [_sum(rows, unit)],
        },
        className="grid",
        style={"height": "560px" if tall else None, "width": "100%"},
    )
    return grid


def table(rows: Sequence[Row], of: Axes, view: View, unit: Unit) -> tuple[list[Column], list[Row]]:
    """Returns columns and rows of the comparison grid; amounts are rounded decimal text."""
    if _pivoted(of, view):
        return _pivot(rows, of, unit)
    columns = [
        _named("by", of.by, 160) | {"flex": 2},
        *([_named("then", of.then, 120)] if of.then else []),
        numeric("runs", "Runs", 0, 70) | {"cellRenderer": "GroupLink"},
        numeric("epochs", unit.many.capitalize(), 2, 90),
        *_unit_column(unit),
        numeric("cost", "Cost, $", 2, 110),
        numeric("per_epoch", unit.price, 2, 100),
        numeric("hours", "Accel.-hours", 1, 100, "Accelerator-hours"),
        numeric("per_hour", "$ per accel.-hour", 4, 100, "Dollars per accelerator-hour"),
    ]
    return columns, [_record(row, of, view) for row in rows]


def _unit_column(unit: Unit) -> list[Column]:
    """Returns a list with the grid column of units if the groups have several units; else empty."""
    return [left("unit", "Unit", 130)] if unit == words(None) else []


def _unit(*rows: Row) -> str:
    """Returns the plural of the unit in which groups count work, or that there are several."""
    return SEVERAL if several_units(*rows) else words(shared(_units(rows))).many


def _units(rows: Sequence[Row]) -> list[str | None]:
    return [unit for row in rows for unit in row.get("units") or ()]


def _named(field: str, one: Dimension, width: int) -> Column:
    marks = {"cellClassRules": MARKS} if one.key == "hardware" else {}
    return left(field, one.label, width) | marks


def _pivoted(of: Axes, view: View) -> bool:
    return view.layout == "pivot" and of.then is not None


def _record(row: Row, of: Axes, view: View) -> Row:
    return _amounts(row) | {
        "by": of.by.name(row["by"]),
        "then": of.then.name(row["then"]) if of.then else "",
        "unit": _unit(row),
        "href": _runs(row, of, view),
    }


def _amounts(row: Row) -> Row:
    return {
        "runs": str(row["runs"]),
        "epochs": None if several_units(row) else _text(row["epochs"], 2),
        "cost": _text(row["cost"], 2),
        "per_epoch": _text(per_epoch(row), 2),
        "hours": _text(row["hours"], 1),
        "per_hour": _text(per_hour(row), 4),
    }


def _sum(rows: Sequence[Row], unit: Unit) -> Row:
    """Returns a row of all groups' cost, work, hours and cost per hour, without cost per unit.

    Work of several units adds up to nothing, so it is left out then.
    """
    costs = [row["cost"] for row in rows]
    total = None if None in costs else sum(costs, Decimal(0))
    sums = {name: sum((row[name] for row in rows), Decimal(0)) for name in ("epochs", "hours")}
    shown = _amounts({"runs": 0, "cost": total, **sums})
    work = None if unit == words(None) else shown["epochs"]
    none = {"runs": None, "per_epoch": None, "href": None}
    return shown | {"by": ALL, "then": "", "epochs": work} | none


def _pivot(rows: Sequence[Row], of: Axes, unit: Unit) -> tuple[list[Column], list[Row]]:
    assert of.then
    names = list(dict.fromkeys(of.then.name(row["then"]) for row in rows))[:ACROSS]
    columns = [left("by", of.by.label, 160) | {"pinned": "left"}, *_unit_column(unit)]
    columns += [
        numeric(f"n{place}", f"{name}, {unit.price}", 2, 110) for place, name in enumerate(names)
    ]
    records: dict[str | None, Row] = {}
    grouped: dict[str | None, list[Row]] = {}
    for row in rows:
        record = records.setdefault(row["by"], {"by": of.by.name(row["by"])})
        grouped.setdefault(row["by"], []).append(row)
        if (name := of.then.name(row["then"])) in names:
            record[f"n{names.index(name)}"] = _text(per_epoch(row), 2)
    return columns, [record | {"unit": _unit(*grouped[by])} for by, record in records.items()]


def _runs(row: Row, of: Axes, view: View) -> str | None:
    """Returns the URL of a row's runs; None where a run may be in several rows."""
    if any(one.charged for one in of.each):
        return None
    filters = [f"{of.by.key}={row['by'] or ''}"]
    filters += [f"{of.then.key}={row['then'] or ''}"] if of.then else []
    mine = {one.key for one in of.each}
    others = [text for text in view.where if text.partition("=")[0] not in mine]
    days = {"from": view.start, "to": view.end}
    dates = [(name, day.isoformat()) for name, day in days.items() if day]
    return "/runs?" + urlencode(dates + [("where", text) for text in [*filters, *others]])


def _text(value: Decimal | None, places: int) -> str | None:
    return None if value is None else str(rounded(value, places))

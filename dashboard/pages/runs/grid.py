"""Builds the grid of all runs: the browser loads the rows that it shows, the server sorts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_ag_grid as dag
from dash import html
from dash.development.base_component import Component

from dashboard.address.links import run_parameter
from dashboard.snapshot.runs.run_dimensions import any_allocated
from dashboard.snapshot.runs.units import unit_of_runs
from dashboard.widgets.tables import runs_grid
from dashboard.widgets.tables.columns import DEFAULTS, OPTIONS, Column, left, numeric
from dashboard.wording.dimensions import NOT_SET, Dimension
from dashboard.wording.format import rounded
from dashboard.wording.units import words

Row = dict[str, Any]
HEIGHT = "min(640px, 72vh)"
BLOCK = 100
"""How many rows the browser asks for at a time."""
DEFAULT = (
    "workload",
    "run",
    "hardware",
    "platform",
    "started_at",
    "ended",
    "epochs",
    "cost",
    "cost_per_epoch",
    "idle_cost",
    "final_loss",
    "parity",
    "flags",
)
STARRED = "Cost of settled days; * more on days not settled yet, in the column Unsettled"
OF_CLUSTERS = ("identified_by", "wait_hours")
"""Shown before the flags without being asked for, where allocations identify a run.

Where runs count in several units, their platform makes room: the panel of a run says it, too."""
UNSORTED = ("ended", "flags")
"""Columns that are put together from several and cannot be sorted by."""


def columns(dims: Mapping[str, Dimension]) -> dict[str, Column]:
    """Returns the definition of every column that the grid of runs can show, by name."""
    unit = unit_of_runs()
    run, *others = runs_grid.columns(unit)
    cost = numeric("cost", "Cost, $", 2, 84, STARRED, starred_by="unsettled")
    named = {
        "workload": left("workload", "Workload", 120) | {"pinned": "left", "width": 128},
        "run": run | {"width": 148, "cellRenderer": "RunLink"},
    }
    extra = [
        left("recipe", "Recipe", 84),
        left("unit", "Unit", 124) | {"tooltipField": "unit"},
        numeric("credited_epochs", f"Credited {words(unit).many}", 2, 76),
        numeric("list_cost", "At list, $", 2, 78, "Cost at public list prices"),
        *(left(key, one.label, 90) for key, one in dims.items() if key.startswith("tag_")),
    ]
    every = [column | cost if column["field"] == "cost" else column for column in others]
    return named | {column["field"]: _plain(column) for column in [*every, *extra]}


def all_runs_grid(
    grid_id: str, dims: Mapping[str, Dimension], chosen: Sequence[str], sort: str
) -> Component:
    """Builds the empty grid of runs, which asks the server for its first rows at once."""
    grid: Component = dag.AgGrid(
        id=grid_id,
        rowModelType="infinite",
        columnDefs=shown_columns(dims, chosen, sort),
        defaultColDef=DEFAULTS | {"filter": False},
        dashGridOptions=OPTIONS
        | {"cacheBlockSize": BLOCK, "maxBlocksInCache": 20, "suppressMultiSort": True},
        getRowId="params.data.id",
        className="grid runs",
        style={"height": HEIGHT, "width": "100%"},
    )
    # its place is kept: the grid's own script comes later, and what is below must not jump
    return html.Div(grid, style={"minHeight": HEIGHT})


def shown_columns(dims: Mapping[str, Dimension], chosen: Sequence[str], sort: str) -> list[Column]:
    """Returns the grid's columns: the run, then the chosen or usual ones; the sorted one marked."""
    every = columns(dims)
    picked = [name for name in chosen if name in every]
    names = dict.fromkeys(("run", *picked)) if picked else usual_columns()
    column, _, direction = sort.partition(":")
    way = direction if direction in ("asc", "desc") else None
    return [every[name] | {"sort": way if name == column else None} for name in names]


def usual_columns() -> list[str]:
    """Returns the names of the columns that the grid of runs shows where the reader chose none."""
    *usual, flags = DEFAULT
    of_clusters = OF_CLUSTERS if any_allocated() else ()
    if unit_of_runs() is None:
        usual.insert(usual.index("epochs") + 1, "unit")
        if of_clusters:
            usual.remove("platform")
    return [*usual, *of_clusters, flags]


def column_titles(dims: Mapping[str, Dimension]) -> dict[str, str]:
    """Returns the heading of each column of the grid of runs, by its name."""
    return {name: str(column["headerName"]) for name, column in columns(dims).items()}


def record(row: Row, dims: Mapping[str, Dimension]) -> Row:
    """Converts a run to a row of the grid of all runs: words, dates and decimal text."""
    tags = {key: row.get(key) or NOT_SET for key in dims if key.startswith("tag_")}
    return runs_grid.record(row) | {
        "id": run_parameter(row["workload"], row["run"]),
        "workload": row["workload"],
        "recipe": row["recipe"],
        "credited_epochs": _text(row, "credited_epochs"),
        "list_cost": _text(row, "list_cost"),
        **tags,
    }


def _text(row: Row, name: str) -> str | None:
    return None if row[name] is None else str(rounded(row[name], 2))


def _plain(column: Column) -> Column:
    """Returns a grid column without its browser-side value function; sortable if the server can."""
    options = {name: value for name, value in column.items() if name != "valueGetter"}
    return options | {"sortable": column["field"] not in UNSORTED}

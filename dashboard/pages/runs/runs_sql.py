"""Builds the SQL of the Runs page: a block of runs, their totals, their groups."""

from __future__ import annotations

from typing import Any

from dashboard.address.view import View
from dashboard.snapshot.runs.run_filters import quoted, run_conditions
from dashboard.wording.dimensions import Dimension, Dimensions

Row = dict[str, Any]
SORTED = (
    "workload",
    "run",
    "hardware",
    "platform",
    "purpose",
    "recipe",
    "started_at",
    "ended_at",
    "unit",
    "epochs",
    "credited_epochs",
    "cost",
    "cost_per_epoch",
    "idle_cost",
    "repeated_cost",
    "unsettled",
    "cost_to_target_loss",
    "list_cost",
    "accelerator_hours",
    "final_loss",
    "parity",
    "comparability",
    "identified_by",
    "wait_hours",
)
TOTALS = """SELECT count(*) AS runs, count(*) FILTER (cost IS NULL) AS unknown,
  count(DISTINCT workload) AS workloads, sum(cost) AS cost, sum(epochs) AS epochs,
  CASE WHEN count(DISTINCT unit) = 1 THEN min(unit) END AS unit,
  sum(idle_cost) AS idle, sum(repeated_cost) AS repeated,
  CASE WHEN bool_and(cost IS NULL OR unsettled IS NOT NULL) THEN sum(unsettled) END AS unsettled
FROM runs"""
"""`unknown` counts the runs that no sum has, because their cost is unknown or there is none."""


def page(
    view: View, dims: Dimensions, offset: int = 0, limit: int | None = None
) -> tuple[str, Row]:
    """Builds SQL and parameters of a page of filtered runs, in the URL's order or newest first."""
    where, parameters = run_conditions(view, dims)
    bounds = f" LIMIT {int(limit)} OFFSET {int(offset)}" if limit is not None else ""
    return (
        f"SELECT *, count(*) OVER () AS found FROM runs WHERE {where} "
        f"ORDER BY {_order(view.sort, dims)}{bounds}",
        parameters,
    )


def totals(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds SQL and parameters that count the filtered runs and sum their cost and work."""
    where, parameters = run_conditions(view, dims)
    return f"{TOTALS} WHERE {where}", parameters


def grouping(view: View, dims: Dimensions) -> Dimension | None:
    """Returns the dimension that the URL groups runs by; None if unknown or not one per run."""
    by = dims.get(view.group)
    return None if by is None or by.charged else by


def groups(view: View, dims: Dimensions, by: Dimension) -> tuple[str, Row]:
    """Builds SQL and parameters that sum filtered runs by a dimension's value, costliest first."""
    where, parameters = run_conditions(view, dims)
    columns = TOTALS.removeprefix("SELECT ").removesuffix("\nFROM runs")
    return (
        f"SELECT coalesce({quoted(by.key)}, '') AS value, {columns} FROM runs WHERE {where} "
        "GROUP BY value ORDER BY cost DESC NULLS LAST, value",
        parameters,
    )


def _order(sort: str, dims: Dimensions) -> str:
    column, _, direction = sort.partition(":")
    newest = "started_at DESC NULLS LAST, workload, run"
    if column not in SORTED and (column not in dims or dims[column].charged):
        return newest
    way = "DESC" if direction == "desc" else "ASC"
    return f"{quoted(column)} {way} NULLS LAST, {newest}"

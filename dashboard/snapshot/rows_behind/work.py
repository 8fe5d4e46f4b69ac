"""SQL conditions that pick the rows behind runs, results, and the cost of an epoch."""

from __future__ import annotations

from urllib.parse import unquote

from dashboard.address.view import View
from dashboard.snapshot.charges import OF_RUNS, known_sum
from dashboard.snapshot.rows_behind.conditions import (
    OBSERVED_IN_RANGE,
    OF_WORKLOAD,
)
from dashboard.snapshot.rows_behind.selection import RunsStatement, Selection
from dashboard.snapshot.runs import compared_runs, run_filters
from dashboard.snapshot.runs.compared_runs import NOT_SIDE_RUNS
from dashboard.wording.dimensions import Dimensions


def _filtered_runs(view: View, dims: Dimensions) -> RunsStatement:
    """Builds the SQL of the runs that match the page's filters, or of the opened run."""
    of, _, run = (unquote(part) for part in view.run.partition("/"))
    if run:
        return "SELECT * FROM runs WHERE workload = $of AND run = $run", {
            "of": of,
            "run": run,
        }
    where, given = run_filters.run_conditions(view, dims)
    return f"SELECT * FROM runs WHERE {where} AND {OF_WORKLOAD}", given


def _counted(view: View, dims: Dimensions) -> RunsStatement:
    return compared_runs.counted(view, dims)


OF_RESULT = f"""{OF_WORKLOAD} AND (workload, run) IN (
  SELECT (workload, run) FROM runs WHERE (workload, lineage) IN (
    SELECT (workload, lineage) FROM result_runs WHERE {OF_WORKLOAD}))"""
RESULT = Selection(
    f"settled AND {OF_RESULT}",
    OF_RESULT,
    """SELECT gpu_cost_per_result AS "On GPU, $", trn_cost_per_result AS "On Trainium, $",
         gpu_hours_per_unit AS "GPU hours of a unit of work",
         trn_hours_per_unit AS "Trainium hours of a unit of work", delay_hours AS "Delay, hours",
         price_of_a_day AS "Price of a day, $"
       FROM break_even WHERE workload = $workload""",
)
ONE_UNIT = "count(DISTINCT unit) FILTER (epochs > 0) <= 1"
"""Work of several units adds up to nothing, so it is unknown then."""
OF_MAIN_KIND = f"""{OF_WORKLOAD} AND (workload, run) IN (
  SELECT (workload, run) FROM (
    SELECT *, coalesce(max(recipe) OVER line, '') AS kind,
      bool_and(list_contains(flags, 'no_progress')) OVER line AS silent
    FROM counted_runs WHERE {NOT_SIDE_RUNS} WINDOW line AS (PARTITION BY workload, lineage))
  WHERE kind = '' AND silent OR (workload, kind) IN (
    SELECT (workload, coalesce(recipe, '')) FROM cost_per_epoch WHERE main))"""
"""Rows of the runs that `cost_per_epoch` has of a workload's main kind of work.

Among them are those that failed before they reported progress or a recipe.
"""
EPOCHS = Selection(
    f"""settled AND {OF_RUNS} AND date_trunc($period, date)::DATE BETWEEN $first AND $last
      AND (workload, date) IN (SELECT (workload, date) FROM savings_daily WHERE settled)
      AND {OF_MAIN_KIND}""",
    f"{OF_MAIN_KIND} AND {OBSERVED_IN_RANGE}",
    f"""SELECT {known_sum("cost", "hardware = 'gpu'")} AS "GPU cost, $",
          CASE WHEN {ONE_UNIT} THEN {known_sum("epochs", "hardware = 'gpu'")} END
            AS "GPU work",
          {known_sum("cost", "hardware = 'trainium'")} AS "Trainium cost, $",
          CASE WHEN {ONE_UNIT} THEN {known_sum("epochs", "hardware = 'trainium'")} END
            AS "Trainium work"
        FROM cost_per_epoch
        WHERE period = $period AND main AND {OF_WORKLOAD}
          AND period_start BETWEEN $first AND $last""",
)
OF_CHOSEN_RUNS = "(workload, run) IN (SELECT (workload, run) FROM ({runs}))"
SUMS_OF_RUNS = f"""SELECT count(*) AS "Runs",
  count(*) FILTER (cost IS NULL) AS "Of unknown cost, in no sum", sum(cost) AS "Σ cost, $",
  CASE WHEN {ONE_UNIT} THEN sum(epochs) END AS "Σ work",
  sum(idle_cost) AS "Idle, $", sum(repeated_cost) AS "Repeated, $",
  CASE WHEN bool_and(cost IS NULL OR unsettled IS NOT NULL) THEN sum(unsettled) END
    AS "Not settled, $" FROM ({{runs}})"""
RUNS = Selection(f"settled AND {OF_CHOSEN_RUNS}", OF_CHOSEN_RUNS, SUMS_OF_RUNS, _filtered_runs)
COMPARED = Selection(
    f"settled AND {OF_CHOSEN_RUNS}",
    OF_CHOSEN_RUNS,
    f"""SELECT count(*) AS "Runs", {known_sum("paid")} AS "Σ cost, $",
         CASE WHEN {ONE_UNIT} THEN sum(epochs) END AS "Σ work",
         sum(hours) AS "Σ accelerator-hours" FROM ({{runs}})""",
    _counted,
    basis=lambda view: "list" if view.basis == "list" else "",
)

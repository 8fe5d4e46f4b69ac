"""Builds the SQL of the Compare page: groups, runs left out, and single runs. METHOD §4.

Which runs count is decided in `dashboard.snapshot.runs.compared_runs`. Where the charges of one run
differ in a dimension (two regions), its cost is counted where it was charged, and its epochs are
split by accelerator-hours, the residue going to the largest part.
"""

from __future__ import annotations

from typing import Any

from dashboard.address.view import View
from dashboard.snapshot.charges import BASIS_COST
from dashboard.snapshot.runs.compared_runs import axes, counted, counted_by
from dashboard.snapshot.runs.run_filters import quoted, run_conditions
from dashboard.wording.dimensions import Dimensions

Row = dict[str, Any]
SPREAD_RUNS = 600
"""How many of the newest runs are drawn one by one."""
PARTS = """
SELECT id, {each}, counted.unit, p.epochs, p.hours, p.paid
FROM counted JOIN (
  SELECT workload, run, {charged}, epochs, coalesce(accelerator_hours, 0) AS hours,
         CASE WHEN charged THEN {cost} ELSE 0 END AS paid
  FROM run_parts) AS p USING (workload, run)"""

UNLIKE_WORK = """
SELECT workload FROM own WHERE mixed
UNION SELECT workload FROM break_even
      SEMI JOIN (SELECT workload FROM runs WHERE hardware = 'gpu') USING (workload)
      WHERE status = 'not_comparable' OR map_contains(left_out, 'not_comparable')"""
"""Workloads whose epochs are not all the same work: no group of them is called cheaper."""


def groups(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds SQL and parameters that read runs, cost, epochs and hours per compared group."""
    of = axes(view, dims)
    own, parameters = counted_by(view, dims, of)
    charged = ", ".join(quoted(one.key) for one in of.each if one.charged)
    cost = "list_cost" if view.basis == "list" else f"({BASIS_COST})"
    each = ", ".join(quoted(one.key) for one in of.each)
    parts = PARTS.format(each=each, charged=charged, cost=cost)
    then = quoted(of.then.key) if of.then else "NULL"
    return (
        f"""WITH counted AS ({own}), rows AS ({parts if charged else "FROM counted"})
        SELECT {quoted(of.by.key)} AS "by", {then} AS "then", count(DISTINCT id) AS runs,
               CASE WHEN count(*) = count(paid) THEN sum(paid) END AS cost,
               sum(epochs) AS epochs, sum(hours) AS hours,
               coalesce(list(DISTINCT unit) FILTER (epochs > 0), list(DISTINCT unit)) AS units
        FROM rows GROUP BY ALL
        ORDER BY cost DESC NULLS LAST, "by", "then"
        """,
        parameters,
    )


def left_out(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds SQL and parameters that count the filtered runs, and those of them that are compared.

    Its column `differ` lists the workloads that `UNLIKE_WORK` selects, `units` what epochs count.
    """
    where, parameters = run_conditions(view, dims)
    own, _ = counted(view, dims)
    return (
        f"""WITH own AS (
          SELECT workload, count(*) AS runs, list(DISTINCT unit) AS units,
                 min(coalesce(recipe, '')) <> max(coalesce(recipe, '')) AS mixed
          FROM ({own}) GROUP BY workload), differ AS ({UNLIKE_WORK})
        SELECT (SELECT count(*) FROM runs WHERE {where}) AS found,
               coalesce(sum(runs), 0)::BIGINT AS counted, count(*) AS workloads,
               list_distinct(flatten(list(units))) AS units,
               list_sort(list(workload) FILTER (workload IN (FROM differ))) AS differ
        FROM own""",
        parameters,
    )


def spread(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds SQL and parameters of the 600 newest compared runs with epochs and a known cost."""
    of = axes(view, dims)
    own, parameters = counted_by(view, dims, of)
    by = "hardware" if of.by.charged else of.by.key
    return (
        f"""SELECT {quoted(by)} AS "by", hardware, workload, run, paid AS cost, epochs,
               [unit] AS units
        FROM ({own}) WHERE epochs > 0 AND paid IS NOT NULL
        ORDER BY started_at DESC, workload, run LIMIT {SPREAD_RUNS}""",
        parameters,
    )

"""Cost per epoch by one or two dimensions: the statements, and what follows from their rows.

A run counts as in `cost_per_epoch`: production and baseline runs, and those on Trainium that were
for nobody knows what, whose lineage has accelerator-hours on the bill at a known cost (METHOD §4).
Σ cost ÷ Σ epochs, never a mean of ratios. Where the charges of one run differ in a dimension, cost
stands where it was charged and the run's epochs are split by accelerator-hours, the residue going
to the largest part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.address.view import View
from dashboard.snapshot.charges import CONFIGURED_COST
from dashboard.snapshot.compared_runs import axes, counted, counted_by
from dashboard.snapshot.kinds_of_work import UNLIKE_EPOCHS
from dashboard.snapshot.run_filters import quoted, run_conditions
from dashboard.wording.dimensions import Dimension

Row = dict[str, Any]
Known = Mapping[str, Dimension]
SPREAD = 600
"""The newest runs whose own cost per epoch is drawn."""
PARTS = """
SELECT id, {each}, p.epochs, p.hours, p.paid
FROM counted JOIN (
  SELECT workload, run, {charged}, epochs, coalesce(accelerator_hours, 0) AS hours,
         CASE WHEN charged THEN {cost} ELSE 0 END AS paid
  FROM run_parts) AS p USING (workload, run)"""

DIFFER = f"""
SELECT workload FROM own WHERE mixed
UNION SELECT workload FROM break_even
      WHERE status = 'not_comparable' OR map_contains(left_out, 'not_comparable')
UNION SELECT workload FROM baselines WHERE {UNLIKE_EPOCHS}"""
"""Workloads whose epochs are not all the same work (METHOD §3.4): nothing is cheaper of these."""


def groups(view: View, known: Known) -> tuple[str, Row]:
    """A row per group, the dearest first: `by`, `then`, runs, cost, epochs, hours."""
    of = axes(view, known)
    own, parameters = counted_by(view, known, of)
    charged = ", ".join(quoted(one.key) for one in of.each if one.charged)
    cost = "list_cost" if view.basis == "list" else f"({CONFIGURED_COST})"
    each = ", ".join(quoted(one.key) for one in of.each)
    parts = PARTS.format(each=each, charged=charged, cost=cost)
    then = quoted(of.then.key) if of.then else "NULL"
    return (
        f"""WITH counted AS ({own}), rows AS ({parts if charged else "FROM counted"})
        SELECT {quoted(of.by.key)} AS "by", {then} AS "then", count(DISTINCT id) AS runs,
               CASE WHEN count(*) = count(paid) THEN sum(paid) END AS cost,
               sum(epochs) AS epochs, sum(hours) AS hours
        FROM rows GROUP BY ALL
        ORDER BY cost DESC NULLS LAST, "by", "then"
        """,
        parameters,
    )


def left_out(view: View, known: Known) -> tuple[str, Row]:
    """How many runs the filters leave, and how many of these count; `differ`: see `DIFFER`."""
    where, parameters = run_conditions(view, known)
    own, _ = counted(view, known)
    return (
        f"""WITH own AS (
          SELECT workload, count(*) AS runs,
                 min(coalesce(recipe, '')) <> max(coalesce(recipe, '')) AS mixed
          FROM ({own}) GROUP BY workload), differ AS ({DIFFER})
        SELECT (SELECT count(*) FROM runs WHERE {where}) AS found,
               coalesce(sum(runs), 0)::BIGINT AS counted, count(*) AS workloads,
               list_sort(list(workload) FILTER (workload IN (FROM differ))) AS differ
        FROM own""",
        parameters,
    )


def spread(view: View, known: Known) -> tuple[str, Row]:
    """The newest counted runs, each with its own cost per epoch."""
    of = axes(view, known)
    own, parameters = counted_by(view, known, of)
    by = "hardware" if of.by.charged else of.by.key
    return (
        f"""SELECT {quoted(by)} AS "by", hardware, workload, run, paid AS cost, epochs
        FROM ({own}) WHERE epochs > 0 AND paid IS NOT NULL
        ORDER BY started_at DESC, workload, run LIMIT {SPREAD}""",
        parameters,
    )

"""Reads the figures of Decide: workloads that have not moved, shares saved, the checklist."""

from __future__ import annotations

from decimal import Decimal

from dashboard.snapshot.break_even import statuses
from dashboard.snapshot.charges import RUNNING_HOURS, USED_HOURS
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, read_row, read_rows
from models.config.planned_upkeep import planned_upkeep
from models.config.settings import Settings
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.contract.rules.recent_window import DAYS
from models.contract.schema import PORTFOLIO
from models.engine.starting_points import PLANNED_PORT, read_starting_point
from models.forecast.months_to_end import months_to_end
from models.forecast.starting_point import StartingPoint

MOVED_SHARES = """
WITH days AS (
  SELECT s.*, value * s.epochs AS uncredited FROM savings_daily s
  LEFT JOIN (FROM baselines WHERE main) USING (date, workload)
  WHERE settled AND counterfactual IS NOT NULL AND net_saving IS NOT NULL),
sums AS (
  SELECT workload, sum(net_saving) AS saved,
         coalesce(nullif(sum(counterfactual), 0), sum(uncredited)) AS counterfactual
  FROM days GROUP BY workload)
SELECT workload, b.parity, saved, sums.counterfactual
FROM sums JOIN break_even b USING (workload)
WHERE sums.counterfactual > 0
  AND b.status IN ('losing', 'no_investment', 'broke_even', 'recovering') ORDER BY workload"""
"""Net saving of each moved workload, and what its work would have cost on GPU.

If no epoch is credited because the loss is worse, all epochs are priced: such a workload has moved
too, and lost all that it cost.
"""

UNMOVED = f"""
WITH own AS (
  SELECT workload, status, cumulative_investment AS invested, {PLANNED_PORT} AS planned
  FROM break_even AS standing
  WHERE workload <> $portfolio AND status IN ($investing, $not_started)),
through AS (
  SELECT workload, max(date) AS day, min(date) AS since FROM (
    SELECT workload, date, row_number() OVER (PARTITION BY workload ORDER BY date DESC) AS back
    FROM savings_daily SEMI JOIN own USING (workload) WHERE settled)
  WHERE back <= {DAYS} GROUP BY workload),
base AS (
  SELECT workload, arg_max_null(value, date) AS gpu_cost_per_epoch,
         arg_max_null(reason, date) AS baseline_reason
  FROM baselines JOIN through USING (workload) WHERE date <= day AND main
  GROUP BY workload),
others AS (
  SELECT DISTINCT workload, coalesce(recipe, '') AS recipe FROM baselines WHERE NOT main),
ran AS (
  SELECT workload, lineage, sum(epochs) AS epochs, min(started_at)::DATE AS started
  FROM (SELECT * REPLACE (coalesce(max(recipe) OVER line, '') AS recipe) FROM runs
        WINDOW line AS (PARTITION BY workload, lineage))
    SEMI JOIN own USING (workload) ANTI JOIN others USING (workload, recipe)
  WHERE hardware = 'gpu' AND purpose IN ('production', 'baseline') AND cost IS NOT NULL
    AND accelerator_hours > 0 AND coalesce(comparability, 'comparable') = 'comparable'
  GROUP BY ALL),
pace AS (
  SELECT workload, count(*) AS lineages, sum(epochs)::DECIMAL(38, 9) AS epochs,
         count(*) FILTER (started BETWEEN since AND day) AS recent
  FROM ran LEFT JOIN through USING (workload) GROUP BY workload)
SELECT workload, status, invested, planned, gpu_cost_per_epoch, baseline_reason, lineages, epochs,
  recent, day
FROM own JOIN pace USING (workload) LEFT JOIN base USING (workload)
  LEFT JOIN through USING (workload)
ORDER BY workload"""
"""GPU workloads without a settled production run on Trainium: cost per epoch, and pace.

Only runs of the workload's main kind of work count: others do not have its price.
"""
THROUGH = f"""own_days AS (
  SELECT date FROM savings_daily WHERE workload = $workload AND settled
  ORDER BY date DESC LIMIT {DAYS}),
through AS (SELECT max(date) AS day FROM own_days)"""
"""A workload's recent window, which no bill of others holds up; null without a settled day."""
OWN_RECENT = "date IN (SELECT date FROM own_days)"
RECENT = f"date BETWEEN day - {DAYS - 1} AND day"
"""The days up to the workload's last settled one, for charges that are not of a workload alone."""
CHECKLIST = f"""
WITH {THROUGH}
SELECT sum(instance_hours) AS gpu_hours,
       sum(instance_hours) FILTER (purchase_option = 'committed') AS committed_hours,
       (SELECT sum(instance_hours) FROM spend_daily, through
        WHERE hardware = 'inferentia' AND instance_hours > 0 AND settled
          AND attribution <> 'idle_commitment' AND {RECENT}) AS inferentia_hours
FROM spend_daily
WHERE workload = $workload AND hardware = 'gpu' AND {USED_HOURS} AND {RUNNING_HOURS}
  AND {OWN_RECENT}"""
"""GPU hours of a workload in the last weeks, those under commitments, and Inferentia hours.

Accelerator-hours are counted of GPU and Trainium alone, so those of Inferentia are of instances.
"""


def unmoved() -> list[Row]:
    """Reads the GPU workloads without a settled Trainium run in production, with pace and cost."""
    investing, not_started = NOT_MOVED_YET
    if not set(NOT_MOVED_YET).intersection(statuses().values()):
        return []
    rows = read_rows(UNMOVED, portfolio=PORTFOLIO, investing=investing, not_started=not_started)
    return [row | _configured(data_context().settings, row) for row in rows]


def _configured(settings: Settings, row: Row) -> Row:
    """Returns a workload's planned upkeep and the months until its training ends, by the config."""
    workload = row["workload"]
    return {
        "upkeep": planned_upkeep(settings, workload),
        "months_to_end": months_to_end(settings, workload, row["day"]),
    }


def moved_shares() -> list[Row]:
    """Reads net saving and GPU counterfactual of each workload that has moved."""
    return read_rows(MOVED_SHARES)


def starting_point(workload: str) -> StartingPoint:
    """Reads a workload's figures for a what-if: cost per run, pace, upkeep, cost of the move."""
    context = data_context()
    return read_starting_point(context.rows, workload, context.settings)


def checklist(workload: str) -> Row:
    """Reads a workload's recent GPU hours, committed ones, and the company's Inferentia hours."""
    return read_row(CHECKLIST, workload=workload) or {}


def day_rate() -> Decimal | None:
    """Returns the highest day rate of configured investments; None where none has one.

    A reader with a limited scope sees only the rates of the workloads in it.
    """
    context = data_context()
    known = None if context.scope.everything else statuses()
    rates = [
        each.day_rate
        for each in context.settings.investments
        if each.day_rate is not None and (known is None or each.workload in known)
    ]
    return max(rates, default=None)

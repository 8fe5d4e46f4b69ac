"""Reads the figures of the Overview page from the published snapshot."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.snapshot.charges import CONFIGURED_COST, TRAINING, UNTAGGED, known_sum
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, read_row, read_rows
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.contract.schema import PORTFOLIO

SPARK_WEEKS = 26
STANDINGS = """
SELECT workload, status, progress, cumulative_net_saving, cumulative_investment,
       unit, saving_per_epoch, saving_low, saving_high, parity, runs_to_break_even, left_out
FROM break_even WHERE workload <> $portfolio
ORDER BY cumulative_investment DESC NULLS LAST, workload"""
"""Status, progress and saving of every workload."""

EPOCH_COSTS = f"""
WITH own AS (SELECT unnest($workloads::VARCHAR[]) AS workload),
through AS (
  SELECT workload, max(date) AS date FROM savings_daily SEMI JOIN own USING (workload)
  WHERE settled GROUP BY workload),
base AS (
  SELECT workload, value AS gpu_cost_per_epoch
  FROM baselines SEMI JOIN through USING (workload, date) WHERE main),
known AS (
  SELECT workload, period, period_start, cost_per_epoch
  FROM cost_per_epoch SEMI JOIN own USING (workload)
  WHERE hardware = 'trainium' AND cost_per_epoch IS NOT NULL AND main),
latest AS (
  SELECT workload, max(period_start) AS trn_month,
         arg_max(cost_per_epoch, period_start) AS trn_cost_per_epoch
  FROM known WHERE period = 'month' GROUP BY workload),
weeks AS (
  SELECT *, row_number() OVER (PARTITION BY workload ORDER BY period_start DESC) AS back
  FROM known WHERE period = 'week'),
trend AS (
  SELECT workload, list(cost_per_epoch ORDER BY period_start) AS trend
  FROM weeks WHERE back <= {SPARK_WEEKS} GROUP BY workload)
SELECT workload, gpu_cost_per_epoch, trn_month, trn_cost_per_epoch, trend
FROM own LEFT JOIN base USING (workload) LEFT JOIN latest USING (workload)
LEFT JOIN trend USING (workload)"""
"""Cost per unit of some workloads' main kind of work on both sides, and Trainium's trend.

On GPU on the last settled day, null where it is unknown then; on Trainium of the latest month."""

SAVED_OF_GPU_COST = """
SELECT sum(gross_saving) AS saved, sum(counterfactual) AS gpu,
       sum(saving_at_list) FILTER (listed) AS at_list_saved,
       sum(counterfactual_at_list) FILTER (listed) AS at_list_gpu,
       count(*) FILTER (epochs > 0 AND NOT listed) AS unpriced_days
FROM (
  SELECT *, saving_at_list IS NOT NULL AND counterfactual_at_list IS NOT NULL AS listed
  FROM savings_daily WHERE settled AND counterfactual IS NOT NULL)"""
"""Sums over days with a counterfactual, and over those that have list prices too."""


def moved() -> int:
    """Counts the workloads that have trained on Trainium in production."""
    sql = """SELECT count(*) AS moved FROM break_even
             WHERE workload <> $portfolio AND status NOT IN ($investing, $not_started)"""
    investing, not_started = NOT_MOVED_YET
    row = read_row(sql, portfolio=PORTFOLIO, investing=investing, not_started=not_started)
    return int(row["moved"]) if row else 0


def standings() -> list[Row]:
    """Reads status, share recovered and saving of every workload."""
    return read_rows(STANDINGS, portfolio=PORTFOLIO)


def epoch_costs(workloads: Sequence[str]) -> dict[str, Row]:
    """Maps each workload to its latest cost per unit on GPU and Trainium, and Trainium's trend."""
    return {row["workload"]: row for row in read_rows(EPOCH_COSTS, workloads=list(workloads))}


def saved_of_gpu_cost() -> Row:
    """Reads one row: gross saving and GPU counterfactual, over settled days with a counterfactual.

    `at_list_gpu` prices the same epochs at GPU list prices. Days without such a price are left out
    of both sums at list prices and counted in `unpriced_days`.
    """
    found = read_row(SAVED_OF_GPU_COST)
    return found or {}


def training_share() -> list[Row]:
    """Sums hours and cost of training by hardware, over each workload's last 90 settled days."""
    return read_rows(
        f"""
        SELECT hardware, sum(accelerator_hours) AS hours, {known_sum(CONFIGURED_COST)} AS cost
        FROM spend_daily WHERE {TRAINING} GROUP BY hardware"""
    )


def untagged() -> Row:
    """Sums the settled accelerator spend whose attribution is `untagged`, as one row."""
    sql = f"""SELECT {known_sum(CONFIGURED_COST)} AS cost FROM accelerator_days
             WHERE settled AND {UNTAGGED}"""
    return read_row(sql) or {}


def anything_tagged() -> bool:
    """Returns whether there is a workload, and spend that names one or none that names none.

    A workload known from progress alone is not enough while accelerator charges are untagged: its
    runs would seem to have cost nothing.
    """
    sql = f"""SELECT 1 AS found FROM break_even
             WHERE workload <> $portfolio
               AND (EXISTS (FROM spend_daily WHERE workload IS NOT NULL)
                    OR NOT EXISTS (FROM accelerator_days WHERE {UNTAGGED}))
             LIMIT 1"""
    return read_row(sql, portfolio=PORTFOLIO) is not None


def untagged_hardware() -> list[Row]:
    """Sums settled untagged accelerator spend by hardware, with first and last day."""
    return read_rows(
        f"""SELECT hardware, {known_sum(CONFIGURED_COST)} AS cost,
                  sum(accelerator_hours) AS hours,
                  min(date) AS first, max(date) AS last
           FROM accelerator_days WHERE settled AND {UNTAGGED}
           GROUP BY hardware ORDER BY hardware"""
    )


def tag_keys() -> tuple[str, str]:
    """Returns the configured tag keys of workload and run."""
    return data_context().tag_keys

"""The longer statements of `queries`, as text."""

from __future__ import annotations

from dashboard.view import LOSS_RUNS

LOSS_POINTS = 120
SPARK_WEEKS = 26

STANDINGS = f"""
WITH base AS (
  SELECT workload, arg_max(value, date) FILTER (value IS NOT NULL) AS gpu_cost_per_epoch
  FROM baselines GROUP BY workload),
latest AS (
  SELECT workload, max(period_start) AS trn_month,
         arg_max(cost_per_epoch, period_start) AS trn_cost_per_epoch
  FROM cost_per_epoch
  WHERE period = 'month' AND hardware = 'trainium' AND cost_per_epoch IS NOT NULL
  GROUP BY workload),
weeks AS (
  SELECT workload, cost_per_epoch, period_start,
         row_number() OVER (PARTITION BY workload ORDER BY period_start DESC) AS back
  FROM cost_per_epoch
  WHERE period = 'week' AND hardware = 'trainium' AND cost_per_epoch IS NOT NULL),
trend AS (
  SELECT workload, list(cost_per_epoch ORDER BY period_start) AS trend
  FROM weeks WHERE back <= {SPARK_WEEKS} GROUP BY workload)
SELECT b.*, gpu_cost_per_epoch, trn_month, trn_cost_per_epoch, trend
FROM break_even b
LEFT JOIN base USING (workload) LEFT JOIN latest USING (workload)
LEFT JOIN trend USING (workload)
WHERE workload <> $portfolio
ORDER BY cumulative_investment DESC NULLS LAST, workload"""
"""Each workload with its latest cost per epoch on both sides, and its trend."""

SAVED_OF_GPU_COST = """
SELECT sum(gross_saving) AS saved, sum(counterfactual) AS gpu,
       sum(saving_at_list) FILTER (at_list IS NOT NULL) AS at_list_saved,
       sum(at_list) FILTER (saving_at_list IS NOT NULL) AS at_list_gpu,
       count(*) FILTER (epochs > 0 AND (at_list IS NULL OR saving_at_list IS NULL))
         AS unpriced_days
FROM (
  SELECT s.*, b.value_at_list * s.credited_epochs AS at_list
  FROM savings_daily s LEFT JOIN baselines b USING (date, workload)
  WHERE s.settled AND s.counterfactual IS NOT NULL)"""
"""The sums over days with a counterfactual, and those that have list prices too."""

LOSS = f"""
WITH numbered AS (
  SELECT *, row_number() OVER (PARTITION BY run ORDER BY observed_at) AS nth,
         count(*) OVER (PARTITION BY run) AS points,
         min(observed_at) OVER (PARTITION BY run) AS began
  FROM loss_curve
  WHERE workload = $workload AND loss IS NOT NULL
    AND CAST(observed_at AS DATE) BETWEEN $first AND $last),
ranked AS (SELECT *, dense_rank() OVER (ORDER BY began DESC, run) AS newest FROM numbered)
SELECT run, hardware, epoch, loss, cost_so_far, hours_so_far FROM ranked
WHERE newest <= {LOSS_RUNS}
  AND (points <= {LOSS_POINTS} OR nth = points OR nth % (points // {LOSS_POINTS} + 1) = 1)
ORDER BY run, nth"""
"""The newest runs, each thinned to what a screen can show; first and last points stay."""

TAG_COLUMNS = """
SELECT column_name FROM duckdb_columns()
WHERE table_name = 'runs' AND starts_with(column_name, $tag) ORDER BY column_index"""
"""The tags that the snapshot keeps of runs."""

CONFIGURED = """CASE (SELECT basis FROM snapshot) WHEN 'billed' THEN billed_cost
  WHEN 'list' THEN list_cost WHEN 'contracted' THEN contracted_cost ELSE effective_cost END"""
"""A charge's cost on the basis that the snapshot was built on."""

RUN_DAYS = f"""
WITH spent AS (
  SELECT date, sum({CONFIGURED}) AS cost, sum(accelerator_hours) AS hours,
         bool_and(settled) AS settled
  FROM spend_daily WHERE workload = $workload AND run = $run GROUP BY date),
done AS (
  SELECT date, epochs, repeated_epochs, loss
  FROM progress_daily WHERE workload = $workload AND run = $run)
SELECT date, cost, hours, settled, epochs, repeated_epochs, loss
FROM spent FULL JOIN done USING (date) ORDER BY date"""
"""Cost of every day with a charge or a sample, settled or not."""

RUN_CHARGES = """
SELECT component, purchase_option, instance_type, region, attribution,
       sum(accelerator_hours) AS hours, sum(list_cost) AS list, sum(effective_cost) AS effective,
       sum(billed_cost) AS billed
FROM spend_daily WHERE workload = $workload AND run = $run AND settled
GROUP BY ALL ORDER BY effective DESC, component, purchase_option, instance_type, region"""
"""Settled days."""

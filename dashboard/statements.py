"""The longer statements of `queries`, as text."""

from __future__ import annotations

from dashboard.view import LOSS_RUNS

LOSS_POINTS = 120
SPARK_WEEKS = 26

STANDINGS = """
SELECT workload, status, progress, cumulative_net_saving, cumulative_investment,
       saving_per_epoch, saving_low, saving_high, parity, runs_to_break_even, left_out
FROM break_even WHERE workload <> $portfolio
ORDER BY cumulative_investment DESC NULLS LAST, workload"""
"""Where each workload stands."""

EPOCH_COSTS = f"""
WITH own AS (SELECT unnest($workloads::VARCHAR[]) AS workload),
base AS (
  SELECT workload, arg_max(value, date) AS main_kind,
         arg_max(list_contains(flags, 'several_kinds'), date) AS several
  FROM baselines SEMI JOIN own USING (workload) WHERE value IS NOT NULL GROUP BY workload),
known AS (
  SELECT workload, period, period_start, cost_per_epoch
  FROM cost_per_epoch SEMI JOIN own USING (workload)
  WHERE hardware = 'trainium' AND cost_per_epoch IS NOT NULL),
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
SELECT workload, CASE WHEN NOT several THEN main_kind END AS gpu_cost_per_epoch, several,
       trn_month, trn_cost_per_epoch, trend
FROM own LEFT JOIN base USING (workload) LEFT JOIN latest USING (workload)
LEFT JOIN trend USING (workload)"""
"""The latest cost per epoch of these workloads on both sides, and its trend; on GPU none where
epochs of `several` kinds of work have no one cost."""

SAVED_OF_GPU_COST = """
SELECT sum(gross_saving) AS saved, sum(counterfactual) AS gpu,
       sum(saving_at_list) FILTER (listed) AS at_list_saved,
       sum(counterfactual_at_list) FILTER (listed) AS at_list_gpu,
       count(*) FILTER (epochs > 0 AND NOT listed) AS unpriced_days
FROM (
  SELECT *, saving_at_list IS NOT NULL AND counterfactual_at_list IS NOT NULL AS listed
  FROM savings_daily WHERE settled AND counterfactual IS NOT NULL)"""
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

TAG_COLUMNS = "SELECT column_name FROM (DESCRIBE runs) WHERE starts_with(column_name, $tag)"
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

USED = "settled AND component = 'accelerator' AND platform IS NOT NULL AND accelerator_hours > 0"
WORKED = "settled AND component = 'accelerator' AND platform IS NOT NULL AND worked"
"""The same of `accelerator_days`."""
PAID = "attribution IN ('direct', 'shared', 'overhead', 'untagged')"

RATES = f"""
WITH used AS (
  SELECT date_trunc($period, date)::DATE AS period_start, platform, hardware, unpriced, listed,
         list_cost, accelerator_hours AS hours, {CONFIGURED} AS cost
  FROM accelerator_days WHERE {WORKED} AND {PAID} AND date BETWEEN $first AND $last),
kinds AS (
  SELECT platform, arg_max(hardware, hours) AS hardware
  FROM (SELECT platform, hardware, sum(hours) AS hours FROM used GROUP BY ALL) GROUP BY platform)
SELECT period_start, platform, kinds.hardware,
       sum(hours) FILTER (NOT unpriced) AS hours, sum(cost) FILTER (NOT unpriced) AS cost,
       CASE WHEN bool_and(unpriced OR listed)
            THEN sum(list_cost) FILTER (NOT unpriced) END AS list,
       coalesce(sum(hours) FILTER (unpriced), 0) AS unpriced
FROM used JOIN kinds USING (platform) GROUP BY ALL ORDER BY platform, period_start"""
"""Hours that something used, with their cost and their cost at list prices."""

COVERAGE = f"""
SELECT strftime(date, '%Y-%m') AS month,
       sum(accelerator_hours) FILTER ({PAID}) AS hours,
       {
    ", ".join(
        f"coalesce(sum(accelerator_hours) FILTER ({PAID} AND purchase_option = '{name}'), 0) "
        f"AS {name}"
        for name in ("on_demand", "committed", "spot", "capacity_block")
    )
},
       coalesce(sum({CONFIGURED}) FILTER (attribution = 'idle_commitment'), 0) AS idle
FROM accelerator_days
WHERE settled AND date BETWEEN $first AND $last
  AND ((component = 'accelerator' AND platform IS NOT NULL) OR attribution = 'idle_commitment')
GROUP BY month ORDER BY month DESC"""
"""Accelerator-hours of each month by how they were bought, and the idle of commitments."""

PRICE_STEPS = """
SELECT DISTINCT instance_type, platform, hardware, region, since,
       usd_per_hour, previous_usd_per_hour
FROM price_history h
WHERE purchase_option = 'on_demand' AND previous_usd_per_hour <> usd_per_hour
  AND since BETWEEN $first AND $last
  AND EXISTS (SELECT 1 FROM accelerator_days s
              WHERE s.instance_type = h.instance_type AND s.region = h.region)
ORDER BY since, instance_type"""
"""Changes of the on-demand prices of what the bill has hours of, where it has them."""

SPOT = """
SELECT instance_type, platform, hardware, region, since, until,
       usd_per_hour / accelerators AS usd
FROM price_history WHERE purchase_option = 'spot' AND accelerators > 0
  AND coalesce(until, since) >= $first AND since <= $last
ORDER BY instance_type, region, since"""
"""Spot prices of an accelerator-hour, where the catalogue knows how many an instance has."""

OFFERED = """
SELECT instance_type, region, count(DISTINCT zone) AS zones, max(observed_on) AS observed_on
FROM offered GROUP BY ALL ORDER BY instance_type, region"""
"""Zones of a region that have an instance type."""

TIE_OUT = """
SELECT month, basis, sum(direct) AS direct, sum(shared) AS shared, sum(overhead) AS overhead,
       sum(idle_commitment) AS idle_commitment, sum(untagged) AS untagged,
       sum(purchase) AS purchase, sum(credit) AS credit, sum(refund) AS refund, sum(tax) AS tax,
       sum(support) AS support, sum(other) AS other, sum(bridge) AS bridge,
       sum(block_spread) AS block_spread, sum(bill_total) AS bill_total,
       sum(remainder) AS remainder, count(*) AS accounts,
       coalesce(sum(abs(remainder)) FILTER (abs(remainder) >= 0.01), 0) AS unheld,
       list_sort(list_distinct(list(total_source))) AS sources
FROM tie_out
WHERE basis = $basis AND month BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')
GROUP BY month, basis ORDER BY month DESC"""
"""Each month over its accounts; `unheld` does not let one account's remainder hide another's, and
is without what rounding an invoice to the cent leaves."""

UNTAGGED_SHARE = f"""
SELECT sum({CONFIGURED}) FILTER (attribution = 'untagged') AS untagged, sum({CONFIGURED}) AS cost
FROM accelerator_days WHERE {WORKED} AND {PAID}"""
"""Accelerator spend of settled days, and the part of it that names no workload."""

MOVED_SHARES = """
WITH days AS (
  SELECT s.*, value * s.epochs AS uncredited FROM savings_daily s
  LEFT JOIN baselines USING (date, workload)
  WHERE settled AND counterfactual IS NOT NULL AND net_saving IS NOT NULL),
sums AS (
  SELECT workload, sum(net_saving) AS saved,
         coalesce(nullif(sum(counterfactual), 0), sum(uncredited)) AS counterfactual
  FROM days GROUP BY workload)
SELECT workload, b.parity, saved, sums.counterfactual
FROM sums JOIN break_even b USING (workload)
WHERE sums.counterfactual > 0
  AND b.status IN ('losing', 'no_investment', 'broke_even', 'recovering') ORDER BY workload"""
"""What each moved workload saved net of what its work would have cost on GPU; where none of it is
as good, of what all of its epochs would have: who loses the whole cost has moved, too."""

UNMOVED = """
WITH through AS (SELECT settled_through AS day FROM snapshot),
own AS (
  SELECT workload, status, cumulative_investment AS invested FROM break_even
  WHERE workload <> $portfolio AND status IN ($investing, $not_started)),
base AS (
  SELECT workload, arg_max_null(value, date) AS gpu_cost_per_epoch,
         arg_max_null(reason, date) AS baseline_reason
  FROM baselines SEMI JOIN own USING (workload), through WHERE date <= day GROUP BY workload),
ran AS (
  SELECT workload, lineage, sum(epochs) AS epochs, min(started_at)::DATE AS started
  FROM runs SEMI JOIN own USING (workload)
  WHERE hardware = 'gpu' AND purpose IN ('production', 'baseline') AND cost IS NOT NULL
    AND accelerator_hours > 0 AND coalesce(comparability, 'comparable') = 'comparable'
  GROUP BY ALL),
pace AS (
  SELECT workload, count(*) AS lineages, sum(epochs)::DECIMAL(38, 9) AS epochs,
         count(*) FILTER (started > day - 7 * $weeks AND started <= day) AS recent
  FROM ran, through GROUP BY workload)
SELECT workload, status, invested, gpu_cost_per_epoch, baseline_reason, lineages, epochs, recent
FROM own JOIN pace USING (workload) LEFT JOIN base USING (workload)
ORDER BY workload"""
"""GPU workloads without a settled production run on Trainium: cost of an epoch, and their pace.

Of the kind of work that the baseline is of: other epochs are not at its price.
"""

"""Defines for each explained number the delivered rows from which it was computed.

The keys are those of the explanations, as in the address `/source/<key>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from dashboard.address.view import SHARE_DAYS, View
from dashboard.snapshot.charges import CONFIGURED_COST, PAID_HOURS
from dashboard.snapshot.runs import compared_runs, run_filters
from dashboard.snapshot.selection import RunsStatement, Selection
from dashboard.wording.dimensions import Dimensions
from dashboard.wording.explanations import (
    clusters,
    compare,
    decide,
    finance,
    overview,
    rates,
    runs,
    savings,
    trust,
    workload,
)

OF_WORKLOAD = "($workload = '' OR workload = $workload)"
STANDING_OF = "workload = coalesce(nullif($workload, ''), '(portfolio)')"
IN_RANGE = "date BETWEEN $first AND $last"
OBSERVED_IN_RANGE = "CAST(observed_at AS DATE) BETWEEN $first AND $last"
OF_RUNS_OR_SHARED = "attribution IN ('direct', 'shared')"
OF_WORKLOADS = "attribution IN ('direct', 'shared', 'overhead', 'idle_commitment')"
OF_MONTH = """strftime(date, '%Y-%m') = $month"""
OF_CHOSEN_RUNS = "(workload, run) IN (SELECT (workload, run) FROM ({runs}))"


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


SAVINGS = Selection(
    f"settled AND {OF_WORKLOAD} AND workload IS NOT NULL AND {OF_WORKLOADS}",
    OF_WORKLOAD,
    f"""SELECT cumulative_gross_saving AS "Σ gross saving, $",
          cumulative_gross_saving - cumulative_net_saving AS "Σ overhead, $",
          cumulative_net_saving AS "Σ net saving, $", cumulative_investment AS "Σ investment, $",
          cumulative_net AS "Net saving − investment, $", progress AS "Recovered",
          forward_per_month AS "A month at this pace, $",
          unit AS "Unit",
          saving_per_epoch AS "Gross saving of a unit of work, $"
        FROM break_even WHERE {STANDING_OF}""",
)

ON_TRAINIUM = f"settled AND {OF_WORKLOAD} AND hardware = 'trainium' AND {OF_RUNS_OR_SHARED}"
JUDGED = Selection(
    ON_TRAINIUM,
    OF_WORKLOAD,
    f"""SELECT sum(judged_cost) AS "Compared with GPU, $", sum(trn_cost) AS "All on Trainium, $"
        FROM judged_daily WHERE {OF_WORKLOAD}""",
)
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

MONTH = Selection(
    f"settled AND {OF_MONTH} AND workload IS NOT NULL AND {OF_WORKLOADS} AND {OF_WORKLOAD}",
    f"{OF_WORKLOAD} AND strftime(observed_at, '%Y-%m') = $month",
    f"""SELECT counterfactual AS "Σ counterfactual, $", trn_cost AS "Trainium cost, $",
          trn_epochs AS "Trainium work", gpu_cost AS "GPU cost, $", gpu_epochs AS "GPU work",
          gross_saving AS "Gross saving, $", overhead AS "Overhead, $",
          net_saving AS "Net saving, $", investment AS "Investment, $", credits AS "Credits, $"
        FROM monthly_summary WHERE month = $month AND {STANDING_OF}""",
)
TRAINING_HOURS = f"""settled AND hardware IN ('gpu', 'trainium') AND {OF_RUNS_OR_SHARED}
  AND component = 'accelerator'
  AND date > (SELECT settled_through FROM snapshot) - INTERVAL {SHARE_DAYS} DAY"""
SHARE = Selection(
    TRAINING_HOURS,
    "",
    f"""SELECT sum(accelerator_hours) FILTER (hardware = 'trainium')
            AS "Trainium accelerator-hours",
          sum(accelerator_hours) FILTER (hardware = 'gpu') AS "GPU accelerator-hours",
          sum(effective_cost) FILTER (hardware = 'trainium') AS "Trainium cost, $",
          sum(effective_cost) FILTER (hardware = 'gpu') AS "GPU cost, $"
        FROM spend_daily WHERE {TRAINING_HOURS}""",
    basis=lambda _: "effective",
)

UNTAGGED = Selection(
    "settled AND attribution = 'untagged'",
    "",
    """SELECT sum(effective_cost) AS "Untagged, $", sum(accelerator_hours) AS "Accelerator-hours"
       FROM spend_daily WHERE settled AND attribution = 'untagged'""",
    basis=lambda _: "effective",
)

LEFT_OUT = Selection(
    "(settled AND attribution = 'untagged') OR (settled IS NOT TRUE AND workload IS NOT NULL)",
    "CAST(observed_at AS DATE) > (SELECT settled_through FROM snapshot)",
    """SELECT sum(effective_cost) FILTER (settled AND attribution = 'untagged') AS "Untagged, $",
         sum(effective_cost) FILTER (settled IS NOT TRUE AND workload IS NOT NULL)
           AS "Spend of days not settled, $"
       FROM spend_daily""",
    basis=lambda _: "effective",
)

BASELINE = Selection(
    f"settled AND {OF_WORKLOAD} AND hardware = 'gpu' AND {OF_RUNS_OR_SHARED}",
    f"{OF_WORKLOAD} AND run IN (SELECT run FROM runs WHERE hardware = 'gpu')",
    """SELECT measured AS "Measured, $", repriced AS "Repriced, $", fixed AS "Fixed, $",
         value AS "Used, $", runs AS "Runs"
       FROM baselines WHERE workload = $workload AND main ORDER BY date DESC LIMIT 1""",
)

EPOCHS = Selection(
    f"settled AND {OF_WORKLOAD} AND {OF_RUNS_OR_SHARED} AND {IN_RANGE}",
    f"{OF_WORKLOAD} AND {OBSERVED_IN_RANGE}",
    f"""SELECT sum(cost) FILTER (hardware = 'gpu') AS "GPU cost, $",
          sum(epochs) FILTER (hardware = 'gpu') AS "GPU work",
          sum(cost) FILTER (hardware = 'trainium') AS "Trainium cost, $",
          sum(epochs) FILTER (hardware = 'trainium') AS "Trainium work"
        FROM cost_per_epoch
        WHERE period = 'month' AND main AND {OF_WORKLOAD}
          AND period_start BETWEEN $first AND $last""",
)
SUMS_OF_RUNS = """SELECT count(*) AS "Runs", sum(cost) AS "Σ cost, $", sum(epochs) AS "Σ work",
  sum(idle_cost) AS "Idle, $", sum(repeated_cost) AS "Repeated, $",
  sum(unsettled) AS "Not settled, $" FROM ({runs})"""
RUNS = Selection(f"settled AND {OF_CHOSEN_RUNS}", OF_CHOSEN_RUNS, SUMS_OF_RUNS, _filtered_runs)
COMPARED = Selection(
    f"settled AND {OF_CHOSEN_RUNS}",
    OF_CHOSEN_RUNS,
    """SELECT count(*) AS "Runs", sum(paid) AS "Σ cost, $", sum(epochs) AS "Σ work",
         sum(hours) AS "Σ accelerator-hours" FROM ({runs})""",
    _counted,
    basis=lambda view: "list" if view.basis == "list" else "",
)

TIED = Selection(
    "billing_period = $month",
    "",
    """SELECT sum(bill_total) AS "The bill, $", sum(block_spread) AS "Capacity Blocks, $",
         sum(remainder) AS "Remainder, $"
       FROM tie_out WHERE month = $month AND basis = $tied""",
    basis=lambda view: view.tied,
)
HOURS_IN_USE = f"""settled AND component = 'accelerator' AND platform IS NOT NULL
  AND accelerator_hours > 0 AND {PAID_HOURS} AND {IN_RANGE}"""
RATES = Selection(
    HOURS_IN_USE,
    "",
    f"""SELECT sum({CONFIGURED_COST}) FILTER (NOT unpriced) AS "Σ cost, $",
          sum(list_cost) FILTER (NOT unpriced) AS "Σ list cost, $",
          sum(accelerator_hours) FILTER (NOT unpriced) AS "Σ accelerator-hours"
        FROM spend_daily WHERE {HOURS_IN_USE}""",
)
HOURS_BOUGHT = f"""settled AND {IN_RANGE}
  AND ((component = 'accelerator' AND platform IS NOT NULL AND {PAID_HOURS})
       OR attribution = 'idle_commitment')"""
COVERAGE = Selection(
    HOURS_BOUGHT,
    "",
    f"""SELECT sum(accelerator_hours) FILTER ({PAID_HOURS}) AS "Accelerator-hours",
          sum(accelerator_hours) FILTER ({PAID_HOURS} AND purchase_option = 'committed')
            AS "Committed accelerator-hours",
          sum({CONFIGURED_COST}) FILTER (attribution = 'idle_commitment') AS "Idle commitment, $"
        FROM spend_daily WHERE {HOURS_BOUGHT}""",
)
SPOT = Selection(table="prices", rows="purchase_option = 'spot'")
BUYING = Selection(f"{HOURS_IN_USE} AND {OF_WORKLOAD}", table="prices")
BLOCKS = Selection(table="capacity", rows="kind = 'offer'")
OFFERED = Selection(table="capacity", rows="kind = 'zone'")
OF_POOL = "($cluster = '' OR (cluster = $cluster AND instance_type = $instance_type))"
OF_CLUSTER = """($cluster = '' OR cluster = $cluster) AND CAST(held_from AS DATE) <= $last
  AND CAST(coalesce(held_to, observed_at, held_from) AS DATE) >= $first"""
POOL_USE = Selection(
    table="allocations",
    rows=OF_CLUSTER,
    inputs=f"""SELECT sum(accelerator_hours) AS "Accelerator-hours on the bill",
          sum(accelerator_hours) FILTER (holding = 'held') AS "Held by known workloads, hours",
          sum(accelerator_hours) FILTER (holding = 'unknown') AS "Held by nobody known, hours",
          sum(accelerator_hours) FILTER (holding NOT IN ('held', 'unknown')) AS "Idle, hours",
          CASE WHEN count(*) = count(cost) THEN sum(cost) END AS "Σ cost, $",
          CASE WHEN count(*) = count(cost)
               THEN sum(cost) FILTER (holding NOT IN ('held', 'unknown')) END AS "Idle, $"
        FROM pool_use WHERE settled AND {IN_RANGE} AND {OF_POOL}""",
)
WAITS = Selection(
    table="allocations",
    rows=OF_CLUSTER,
    inputs="""SELECT count(*) AS "Jobs of known runs", count(wait_hours) AS "Wait known of",
          sum(wait_hours) AS "Σ wait, hours"
        FROM run_jobs WHERE CAST(began AS DATE) BETWEEN $first AND $last""",
)
CLUSTERS = Selection(
    table="allocations",
    inputs="""SELECT sum(accelerator_hours) AS "Accelerator-hours on the bill",
          sum(known_hours) AS "Held by known runs and workloads, hours",
          sum(unknown_hours) AS "Held by nobody known, hours", sum(idle_hours) AS "Idle, hours"
        FROM allocation_coverage""",
)
DELIVERIES = Selection(table="deliveries")
ROWS_BEHIND: Mapping[str, Selection] = {
    of.key: selection
    for selection, every in (
        (
            SAVINGS,
            (
                savings.CURVE,
                savings.RETURN,
                savings.FORWARD,
                overview.SAVED_OF_GPU,
                overview.RECOVERED,
                overview.PER_EPOCH,
                decide.WHAT_IF,
                decide.PROSPECTS,
                decide.CHECKLIST,
                decide.BENCHMARK,
                decide.ALTERNATIVES,
            ),
        ),
        (JUDGED, (savings.JUDGED,)),
        (RESULT, (workload.RESULT,)),
        (
            MONTH,
            (
                overview.MONTH,
                finance.STATEMENT,
                finance.TO_DATE,
                finance.ASIDE,
                finance.ADJUSTMENTS,
                finance.CONDITIONS,
                finance.CLOSES,
                finance.VERSIONS,
                finance.CLOSE,
            ),
        ),
        (SHARE, (overview.SHARE,)),
        (UNTAGGED, (overview.UNTAGGED, trust.UNTAGGED_SHARE)),
        (LEFT_OUT, (overview.LEFT_OUT, trust.LEFT_OUT_ROWS)),
        (BASELINE, (overview.GPU_EPOCH, workload.BASELINE)),
        (EPOCHS, (overview.TRN_EPOCH, workload.EPOCH_COST)),
        (
            RUNS,
            (
                workload.LOSS,
                workload.WHERE,
                workload.RUNS,
                runs.ALL_RUNS,
                runs.RUN_GROUPS,
                runs.RUN_COST,
                runs.RUN_CHARGES,
                runs.RUN_JOBS,
            ),
        ),
        (COMPARED, (compare.COMPARED, compare.SPREAD)),
        (TIED, (finance.TIE_OUT, trust.TRUST_TIE_OUT)),
        (RATES, (rates.RATES,)),
        (COVERAGE, (rates.COVERAGE,)),
        (SPOT, (rates.SPOT,)),
        (BLOCKS, (rates.BLOCKS,)),
        (OFFERED, (rates.OFFERED,)),
        (POOL_USE, (clusters.USE, clusters.POOLS, clusters.HOLDERS, clusters.JOBS)),
        (WAITS, (clusters.WAITS,)),
        (CLUSTERS, (trust.CLUSTER_COVERAGE,)),
        (BUYING, (decide.BUYING,)),
        (DELIVERIES, (trust.TRUST_SOURCES, trust.INGEST_LOG, trust.RESTATED)),
    )
    for of in every
}
"""Key of an explanation → the rows behind its number."""

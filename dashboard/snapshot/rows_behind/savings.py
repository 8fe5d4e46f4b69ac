"""SQL conditions that pick the rows behind savings, the baseline, and the figures of a month."""

from __future__ import annotations

from dashboard.snapshot.break_even import LAST_SETTLED
from dashboard.snapshot.charges import OF_RUNS, known_sum
from dashboard.snapshot.rows_behind.conditions import (
    OF_MONTH,
    OF_WORKLOAD,
    OF_WORKLOADS,
    STANDING_OF,
)
from dashboard.snapshot.rows_behind.selection import Selection

FIGURES = """cumulative_net_saving AS "Σ net saving, $",
          cumulative_net AS "Net saving − investment, $", progress AS "Recovered",
          forward_per_month AS "A month at this pace, $",
          unit AS "Unit",
          saving_per_epoch AS "Gross saving of a unit of work, $\""""


def _savings(chosen: str, standing: str) -> Selection:
    """Returns the selection of rows and inputs behind the savings of workloads of a condition."""
    return Selection(
        f"settled AND {chosen} AND workload IS NOT NULL AND {OF_WORKLOADS}",
        chosen,
        f"""SELECT cumulative_gross_saving AS "Σ gross saving, $",
              cumulative_gross_saving - cumulative_net_saving AS "Σ overhead, $",
              cumulative_investment AS "Σ investment, $", {FIGURES}
            FROM break_even WHERE {standing}""",
    )


SAVINGS = _savings(OF_WORKLOAD, STANDING_OF)
ALL_SAVINGS = _savings("TRUE", "workload = '(portfolio)'")
"""Of all workloads together, whichever the page is of."""
UP_TO_NOW = f"""{OF_WORKLOAD} AND date <= (
  SELECT coalesce(max(date) FILTER ({STANDING_OF}), max(date))
  FROM (FROM savings_daily UNION ALL BY NAME FROM portfolio_daily) WHERE settled)"""
"""Who sees no portfolio has the newest settled day of any workload."""
TRAINED = f"""{OF_WORKLOAD} AND (workload, run) IN (
  SELECT (workload, run) FROM counted_costs WHERE part = 'training')"""
OF_OVERHEAD = "part IN ('overhead', 'idle_commitment', 'cluster_idle')"
COUNTED = Selection(
    counted=UP_TO_NOW,
    samples=TRAINED,
    inputs=f"""WITH of_bill AS (
          SELECT {known_sum("amount", "part = 'training'")} AS training,
            {known_sum("amount", OF_OVERHEAD)} AS overhead,
            {known_sum("amount", f"part <> 'training' AND NOT {OF_OVERHEAD}")} AS investment
          FROM counted_costs WHERE {UP_TO_NOW})
        SELECT cumulative_gross_saving + training AS "Σ counterfactual, $",
          training AS "− Trainium cost on the bill, $", overhead AS "− Overhead on the bill, $",
          cumulative_gross_saving - cumulative_net_saving - overhead
            AS "− Upkeep, as configured, $",
          investment AS "− Investment on the bill, $",
          cumulative_investment - investment AS "− Investment, as configured, $", {FIGURES}
        FROM break_even, of_bill WHERE {STANDING_OF}""",
)
"""Its lines add up to the three amounts on the bill."""
COMPARED_RUNS = Selection(
    counted=f"{UP_TO_NOW} AND part = 'training'",
    samples=TRAINED,
    inputs=f"""WITH of_bill AS (
          SELECT {known_sum("amount")} AS training FROM counted_costs
          WHERE {UP_TO_NOW} AND part = 'training')
        SELECT cumulative_gross_saving + training AS "Σ counterfactual, $",
          training AS "− Trainium cost on the bill, $",
          cumulative_gross_saving AS "Σ gross saving, $", unit AS "Unit",
          saving_per_epoch AS "Gross saving of a unit of work, $"
        FROM break_even, of_bill WHERE {STANDING_OF}""",
)
ON_TRAINIUM = f"settled AND {OF_WORKLOAD} AND hardware = 'trainium' AND {OF_RUNS}"
JUDGED = Selection(
    ON_TRAINIUM,
    OF_WORKLOAD,
    f"""SELECT {known_sum("judged_cost")} AS "Compared with GPU, $",
          {known_sum("trn_cost")} AS "All on Trainium, $"
        FROM judged_daily WHERE {OF_WORKLOAD}""",
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
SAVED_IN_MONTH = Selection(
    counted=f"{UP_TO_NOW} AND {OF_MONTH} AND (part = 'training' OR {OF_OVERHEAD})",
    samples=f"{TRAINED} AND strftime(observed_at, '%Y-%m') = $month",
    inputs=f"""SELECT counterfactual AS "Σ counterfactual, $", trn_cost AS "− Trainium cost, $",
          trn_epochs AS "Trainium work", overhead AS "− Overhead with upkeep, $",
          net_saving AS "Net saving, $"
        FROM monthly_summary WHERE month = $month AND {STANDING_OF}""",
)
BASELINE = Selection(
    f"settled AND {OF_WORKLOAD} AND hardware = 'gpu' AND {OF_RUNS}",
    f"""{OF_WORKLOAD} AND (workload, run) IN (
      SELECT (workload, run) FROM runs WHERE hardware = 'gpu')""",
    f"""SELECT measured AS "Measured, $", repriced AS "Repriced, $", fixed AS "Fixed, $",
         value AS "Used, $", runs AS "Runs"
       FROM baselines
       WHERE workload = $workload AND main AND date = ({LAST_SETTLED})""",
)

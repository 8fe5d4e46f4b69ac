"""SQL conditions that pick the rows behind savings, the baseline, and the figures of a month."""

from __future__ import annotations

from dashboard.snapshot.break_even import LAST_SETTLED
from dashboard.snapshot.charges import known_sum
from dashboard.snapshot.rows_behind.conditions import (
    OF_MONTH,
    OF_RUNS_OR_SHARED,
    OF_WORKLOAD,
    OF_WORKLOADS,
    STANDING_OF,
)
from dashboard.snapshot.rows_behind.selection import Selection

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
BASELINE = Selection(
    f"settled AND {OF_WORKLOAD} AND hardware = 'gpu' AND {OF_RUNS_OR_SHARED}",
    f"""{OF_WORKLOAD} AND (workload, run) IN (
      SELECT (workload, run) FROM runs WHERE hardware = 'gpu')""",
    f"""SELECT measured AS "Measured, $", repriced AS "Repriced, $", fixed AS "Fixed, $",
         value AS "Used, $", runs AS "Runs"
       FROM baselines
       WHERE workload = $workload AND main AND date = ({LAST_SETTLED})""",
)

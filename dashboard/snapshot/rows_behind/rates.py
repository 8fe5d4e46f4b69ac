"""SQL conditions that pick the rows behind rates, commitment coverage, spot and market offers."""

from __future__ import annotations

from dashboard.snapshot.charges import CONFIGURED_COST, RUNNING_HOURS, hours_sum, known_sum
from dashboard.snapshot.rows_behind.conditions import IN_RANGE, OF_WORKLOAD, of_company
from dashboard.snapshot.rows_behind.selection import Selection

HOURS_IN_USE = f"""settled AND component = 'accelerator' AND platform IS NOT NULL
  AND accelerator_hours > 0 AND {RUNNING_HOURS} AND {IN_RANGE}"""
PRICED = f"NOT unpriced AND ({CONFIGURED_COST}) IS NOT NULL"
RATES = Selection(
    HOURS_IN_USE,
    "",
    f"""SELECT sum({CONFIGURED_COST}) FILTER ({PRICED}) AS "Σ cost, $",
          {known_sum("list_cost", PRICED)} AS "Σ list cost, $",
          sum(accelerator_hours) FILTER ({PRICED}) AS "Σ accelerator-hours"
        FROM spend_daily WHERE {HOURS_IN_USE}""",
)
HOURS_BOUGHT = f"""settled AND {IN_RANGE}
  AND ((component = 'accelerator' AND platform IS NOT NULL AND {RUNNING_HOURS})
       OR attribution = 'idle_commitment')"""
COVERAGE = Selection(
    HOURS_BOUGHT,
    "",
    f"""SELECT {hours_sum(RUNNING_HOURS)} AS "Accelerator-hours",
          {hours_sum(f"{RUNNING_HOURS} AND purchase_option = 'committed'")}
            AS "Committed accelerator-hours",
          {of_company(known_sum(CONFIGURED_COST, "attribution = 'idle_commitment'"))}
            AS "Idle commitment, $"
        FROM spend_daily WHERE {HOURS_BOUGHT}""",
)
SPOT = Selection(table="prices", rows="purchase_option = 'spot'")
BUYING = Selection(f"{HOURS_IN_USE} AND {OF_WORKLOAD}", table="prices")
BLOCKS = Selection(table="capacity", rows="kind = 'offer'")
OFFERED = Selection(table="capacity", rows="kind = 'zone'")

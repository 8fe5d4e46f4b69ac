"""SQL conditions that pick the rows behind Trainium's share, untagged cost and the tie-out."""

from __future__ import annotations

from dashboard.snapshot.charges import (
    CONFIGURED_COST,
    TRAINING,
    UNTAGGED,
    hours_sum,
    known_sum,
)
from dashboard.snapshot.rows_behind.conditions import of_company
from dashboard.snapshot.rows_behind.selection import Selection

SHARE = Selection(
    TRAINING,
    "",
    f"""SELECT {hours_sum("hardware = 'trainium'")}
            AS "Trainium accelerator-hours",
          {hours_sum("hardware = 'gpu'")} AS "GPU accelerator-hours",
          {known_sum(CONFIGURED_COST, "hardware = 'trainium'")} AS "Trainium cost, $",
          {known_sum(CONFIGURED_COST, "hardware = 'gpu'")} AS "GPU cost, $"
        FROM spend_daily WHERE {TRAINING}""",
)
UNTAGGED_SPEND = Selection(
    f"settled AND {UNTAGGED}",
    "",
    f"""SELECT {of_company(known_sum(CONFIGURED_COST))} AS "Untagged, $",
         {of_company(hours_sum())} AS "Accelerator-hours"
       FROM spend_daily WHERE settled AND {UNTAGGED}""",
)
LEFT_OUT = Selection(
    f"(settled AND {UNTAGGED}) OR (settled IS NOT TRUE AND workload IS NOT NULL)",
    "CAST(observed_at AS DATE) > (SELECT settled_through FROM snapshot)",
    f"""SELECT {of_company(known_sum(CONFIGURED_COST, f"settled AND {UNTAGGED}"))}
           AS "Untagged, $",
         {known_sum(CONFIGURED_COST, "settled IS NOT TRUE AND workload IS NOT NULL")}
           AS "Spend of days not settled, $"
       FROM spend_daily""",
)
OF_MONTHS = "BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')"


def _tied(months: str) -> Selection:
    """Returns the selection of rows behind the tie-out of billing months of a condition."""
    return Selection(
        f"billing_period {months}",
        "",
        f"""SELECT sum(bill_total) AS "The bill, $", sum(block_spread) AS "Capacity Blocks, $",
             sum(remainder) AS "Remainder, $"
           FROM tie_out WHERE month {months} AND basis = $tied""",
        basis=lambda view: view.tied,
    )


TIED = _tied("= $month")
TIED_IN_RANGE = _tied(OF_MONTHS)
"""Of the months that Trust's range touches, as its table has them."""

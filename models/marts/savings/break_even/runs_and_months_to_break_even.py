"""How far the investment is paid back, and in how many runs or months it will be (METHOD §6.4).

Example: with $10,000 invested and $1,138.125 saved, progress is 0.1138125. What remains is
$8,861.875, which at $379.375 a run takes 24 more runs.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, ratio
from models.contract.rules.recent_weeks import WEEKS
from models.contract.schema import MONEY

WEEKS_A_YEAR, MONTHS_A_YEAR = 52, 12


def remaining(rows: ir.Table) -> ir.Value:
    """Returns the dollars of the investment that are not paid back yet, at least 0."""
    return ibis.greatest(rows.cumulative_investment - rows.cumulative_net_saving, ZERO)


def progress(rows: ir.Table) -> ir.Value:
    """Returns the share of the investment that is paid back: net saving ÷ investment, 0 to 1."""
    paid = ratio(rows.cumulative_net_saving, rows.cumulative_investment)
    # not `clip`: its SQL repeats what it clips many times over, and each is planned
    return ibis.cases((paid > 1, 1), (paid > 0, paid), (paid <= 0, 0)).cast(MONEY)


def runs_to_break_even(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns how many more runs repay the rest at the mean saving per run after upkeep, or null.

    It is null where a run saves nothing on average, or the totals are unknown.
    """
    upkeep = ibis.coalesce(rows.upkeep_so_far, ZERO)
    each = (rows.cumulative_net_saving - upkeep).cast("float64") / rows.lineages
    runs = (owed.cast("float64") / each).round(9).ceil()
    return ibis.ifelse(each > 0, runs, None).cast("int64")


def payback_months(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns months to payback at the last twelve weeks' pace net of upkeep; null if it is ≤ 0."""
    upkeep = ibis.coalesce(rows.monthly_upkeep, ZERO).cast("float64")
    weekly = rows.last_weeks_net.cast("float64") / WEEKS
    pace = weekly * WEEKS_A_YEAR / MONTHS_A_YEAR - upkeep
    return ibis.ifelse(pace > 0, owed.cast("float64") / pace, None)

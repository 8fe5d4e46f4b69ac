"""Computes what the move saves per month of late, and when that repays it (METHOD §6.4).

Example: with $10,000 invested and $1,138.125 saved, $8,861.875 remain. Three lineages saved
$379.375 each in the recent window, so 24 more runs repay it. $1,050 saved in the window are $379.17
a month.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, ratio
from models.contract.rules.recent_window import WEEKS

WEEKS_A_YEAR, MONTHS_A_YEAR = 52, 12


def is_whole(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that the 84 settled days up to the cutoff are all since the cutover."""
    return (rows.recent_since >= rows.cutover).fill_null(False)


def forward_per_month(rows: ir.Table) -> ir.Value:
    """Returns the column of recent net saving per month; null until 84 days after the cutover."""
    monthly = ratio(rows.recent_net_saving * WEEKS_A_YEAR, ibis.literal(WEEKS * MONTHS_A_YEAR))
    return ibis.ifelse(rows.whole, monthly, None)


def remaining(rows: ir.Table) -> ir.Value:
    """Returns the column of the investment's dollars that are not paid back yet, at least 0."""
    return ibis.greatest(rows.cumulative_investment - rows.cumulative_net_saving, ZERO)


def runs_to_break_even(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns how many more runs repay the rest of the investment, at the recent saving per run.

    It is null where that is 0 or below, and where no lineage has a known saving in the window.
    """
    each = rows.recent_net_saving.cast("float64") / rows.recent_runs.nullif(0)
    runs = (owed.cast("float64") / each).round(9).ceil()
    return ibis.ifelse(each > 0, runs, None).cast("int64")


def payback_months(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns months to repay the rest of the investment at the recent pace; null if it is ≤ 0."""
    pace = rows.forward_per_month.cast("float64")
    return ibis.ifelse(pace > 0, owed.cast("float64") / pace, None)

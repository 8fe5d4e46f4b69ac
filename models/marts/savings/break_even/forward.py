"""What is left to pay back, and in how many runs and months at the one pace (METHOD §6).

Example: with $10,000 invested and $1,138.125 saved, progress is 0.1138125. What remains is
$8,861.875. Three lineages saved $379.375 each in the recent window, so 24 more runs repay it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, product, ratio
from models.contract.schema import MONEY

DAYS_A_YEAR, MONTHS_A_YEAR = 365, 12


def remaining(rows: ir.Table) -> ir.Value:
    """Returns the dollars of the investment that are not paid back yet, at least 0."""
    return ibis.greatest(rows.cumulative_investment - rows.cumulative_net_saving, ZERO)


def progress(rows: ir.Table) -> ir.Value:
    """Returns the share of the investment that is paid back: net saving ÷ investment, 0 to 1."""
    paid = ratio(rows.cumulative_net_saving, rows.cumulative_investment)
    # not `clip`: its SQL repeats what it clips many times over, and each is planned
    return ibis.cases((paid > 1, 1), (paid > 0, paid), (paid <= 0, 0)).cast(MONEY)


def runs_to_break_even(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns how many more runs repay the rest at the recent window's net saving per lineage.

    It is null where that is 0 or below, and where no lineage has a known saving in the window.
    """
    each = rows.recent_net_saving.cast("float64") / rows.recent_runs.nullif(0)
    runs = (owed.cast("float64") / each).round(9).ceil()
    return ibis.ifelse(each > 0, runs, None).cast("int64")


def payback_months(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Returns the months in which the rest is repaid at the recent pace; null if that is ≤ 0."""
    pace = rows.forward_per_month.cast("float64")
    return ibis.ifelse(pace > 0, owed.cast("float64") / pace, None)


def months_to_end(rows: ir.Table) -> ir.Value:
    """Returns the months from the last settled day to the end of training; null without an end."""
    left = rows.ends.epoch_days() - rows.cutoff.epoch_days()
    days = ibis.cases((left > 0, left), (left <= 0, 0))  # `greatest` would take null for 0
    return ratio(days * MONTHS_A_YEAR, ibis.literal(DAYS_A_YEAR))


def value_to_end(rows: ir.Table, months: ir.Value) -> ir.Value:
    """Returns cumulative net as it will be at the end of training, if it goes on as now."""
    return (rows.cumulative_net + product(rows.forward_per_month, months)).cast(MONEY)


def net_at_old_volume(rows: ir.Table) -> ir.Value:
    """Returns cumulative net on the volume of before the move; overhead and investment in full."""
    spent = rows.cumulative_overhead + rows.cumulative_investment
    return (rows.saving_at_old_volume - spent).cast(MONEY)


def headroom_days(rows: ir.Table) -> ir.Value:
    """Returns how many more engineer-days would still leave it paid for; null where it is not."""
    days = ratio(rows.cumulative_net, rows.day_rate).floor()
    return ibis.ifelse(rows.cumulative_net >= 0, days, None).cast("int64")


def months_in_migration(rows: ir.Table) -> ir.Value:
    """Returns the months from the first investment to the cutover; null if it came later."""
    days = rows.cutover.epoch_days() - rows.first_invested.epoch_days()
    months = days.cast("float64") * MONTHS_A_YEAR / DAYS_A_YEAR
    return ibis.ifelse(days >= 0, months, None)

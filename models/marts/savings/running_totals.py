"""Adds running totals of savings and investment (METHOD §6.4)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO
from models.contract.schema import MONEY
from models.marts.savings.break_even.return_on_investment import return_on_investment

TOTALS = {"cumulative_net_saving": "net_saving", "cumulative_investment": "investment"}
ADDED = (*TOTALS, "cumulative_net", "roi")
"""The columns that `with_running_totals` adds."""


def with_running_totals(days: ir.Table) -> ir.Table:
    """Adds running totals of net saving and investment, their difference, and ROI.

    They add up a workload's settled days, and what was invested on any day up to then: it was spent
    also on a day for which a scheduler's allocations are missing. They are null on unsettled days,
    and on every day from the first settled day with an unknown amount; `roi`, cumulative net ÷
    investment so far, also where that investment is 0 or below.
    """
    until = {"group_by": "workload", "order_by": "date"}

    def total(name: str) -> ir.Value:
        counts = days.settled if name != "investment" else ibis.literal(value=True)
        amounts = ibis.ifelse(counts, days[name], ZERO)
        unknown = amounts.isnull().any().over(ibis.cumulative_window(**until))
        added = amounts.sum().over(ibis.cumulative_window(**until)).cast(MONEY)
        return ibis.ifelse(days.settled & ~unknown, added, None)

    rows = days.mutate(**{name: total(flow) for name, flow in TOTALS.items()})
    rows = rows.mutate(
        cumulative_net=(rows.cumulative_net_saving - rows.cumulative_investment).cast(MONEY)
    )
    return rows.mutate(roi=return_on_investment(rows))

"""Finds the first of the 84 settled days of a recent window (METHOD §1).

Days of which allocations are missing are not settled, and are none of the 84. Example: of 90 days
up to a cutoff 6 are missing: the window begins with the first of the 90.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.recent_window import DAYS

PART = ["workload", "cutoff", "part"]


def with_begin(parts: ir.Table, own: ir.Table, last: str, name: str) -> ir.Table:
    """Adds the first of 84 settled days up to the day in column `last`; null if there are fewer.

    `own` holds the settled days of workloads. The portfolio's are all days up to its last.
    """
    order = ibis.window(group_by="workload", order_by="date")
    days = own.select(part="workload", date="date", since=own.date.lag(DAYS - 1).over(order))
    both = parts.join(days, "part")
    both = both.filter(both.date <= both[last])
    rows = left_join(parts, both.group_by(PART).agg(**{name: both.since.max()}), PART)
    whole = (rows[last] - ibis.interval(days=DAYS - 1)).cast("timestamp").date()
    return rows.mutate(**{name: ibis.ifelse(rows.part == PORTFOLIO, whole, rows[name])})

"""Sums credits by month and workload (METHOD §7.1).

Credits are negative, as billed, and in their billing month. One that names a workload is that
workload's and the portfolio's, one that names none is the portfolio's alone. Example: credits of
$100 for `atlas` and of $40 that name nobody: −$100 on its row, −$140 on the portfolio's.
"""

from __future__ import annotations

from collections.abc import Iterable

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO
from models.contract.portfolio import with_portfolio

KEYS = ["month", "workload"]


def credits_by_month(spend_daily: ir.Table) -> ir.Table:
    """Sums the credits of each month by workload, and of all for the portfolio."""
    given = spend_daily.filter(spend_daily.attribution == "credit")
    rows = given.select("workload", "billed_cost", month="billing_period")
    every = with_portfolio(rows)
    every = every.filter(every.workload.notnull())
    return every.group_by(KEYS).agg(credits=every.billed_cost.sum())


def with_credit_months(flows: ir.Table, credits: ir.Table, sums: Iterable[str]) -> ir.Table:
    """Adds the months in which a workload had a credit but no activity, with `sums` of $0.

    `before`: it had none in any earlier month either, so that nothing was saved or invested yet.
    """
    alone = credits.select(KEYS).anti_join(flows, KEYS)
    begins = flows.group_by("workload").agg(begins=flows.month.min())
    alone = left_join(alone, begins, ["workload"])
    alone = alone.mutate(
        **dict.fromkeys((*sums, "investment"), ZERO),
        settled_through=ibis.null("date"),
        before=(alone.month < alone.begins).fill_null(True),
    )
    active = flows.mutate(before=ibis.literal(value=False))
    return active.union(alone.select(active.columns))

"""The days on which a workload's standing is taken: the last settled day of each month."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.portfolio import PORTFOLIO


@step(
    grain="workload, and `(portfolio)` × month",
    units="dates, UTC",
    nulls="month, cutoff: no day of the workload is settled",
    method="§6.4, §7.1",
    whose="workload",
)
def cutoffs(
    savings_daily: ir.Table, portfolio_daily: ir.Table, workload_state: ir.Table
) -> ir.Table:
    """Finds each month's last settled day per workload; `newest` marks a workload's last one."""
    days = savings_daily.union(portfolio_daily)
    settled = days.filter(days.settled)
    months = settled.group_by("workload", month=settled.date.truncate("M")).agg(
        cutoff=settled.date.max()
    )
    newest = months.month.max().over(ibis.window(group_by="workload"))
    known = months.select(
        "workload", "cutoff", month=months.month.strftime("%Y-%m"), newest=months.month == newest
    )
    return known.union(_without_days(workload_state, known))


def _without_days(workload_state: ir.Table, known: ir.Table) -> ir.Table:
    """Returns a row without a date for each workload, or portfolio, none of whose days settled."""
    portfolio = ibis.literal(PORTFOLIO).name("workload").as_table()
    every = workload_state.select("workload").union(portfolio)
    idle = every.anti_join(known, "workload")
    return idle.select(
        "workload",
        cutoff=ibis.null("date"),
        month=ibis.null("string"),
        newest=ibis.literal(True),
    )

"""Lists investments for readers: the config's by day, the bill's by month."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import known_sum
from models.contract.rules.work.purposes import SIDE_PURPOSES
from models.contract.schema import EXPLAINERS

BY_MONTH = (
    *SIDE_PURPOSES, "baseline", "overhead_before_cutover", "pool_before_cutover",
    "stranded_commitment", "stranded_cluster",
)  # fmt: skip


@mart(
    grain="date × workload × kind",
    units="dollars on `cost.basis`",
    nulls="workload: the portfolio; amount: unknown",
    method="§6.3",
    whose="workload",
)
def investments(investment_daily: ir.Table) -> ir.Table:
    """Lists investments: of config by day; of runs, overhead, pools and commitments by month."""
    once = investment_daily.filter(~investment_daily.kind.isin(BY_MONTH))
    often = investment_daily.filter(investment_daily.kind.isin(BY_MONTH))
    monthly = often.group_by(
        date=often.date.truncate("M").cast("timestamp").date(), workload="workload", kind="kind"
    ).agg(amount=known_sum(often.amount))
    columns = list(EXPLAINERS["investments"])
    return once.select(columns).union(monthly.select(columns))

"""Computes daily savings of each workload and of the company, with running totals (METHOD §6)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.schema import MARTS
from models.marts.savings.portfolio_daily import portfolio_days
from models.marts.savings.running_totals import ADDED, with_running_totals
from models.marts.savings.savings_daily import workload_days


@step(
    grain="date × workload, and `(portfolio)`",
    units="dollars on `cost.basis`; epochs in `unit`",
    nulls="as `savings_daily` and `portfolio_daily`, which are published from it",
    method="§6.1, §6.2, §6.7",
    whose="workload",
)
def all_savings_daily(
    calendar: ir.Table,
    kinds: ir.Table,
    counterfactual_daily: ir.Table,
    old_volume: ir.Table,
    workload_state: ir.Table,
    commitments: ir.Table,
    pool_idle: ir.Table,
    silent_payers: ir.Table,
    spend_daily: ir.Table,
    upkeep_daily: ir.Table,
    investment_daily: ir.Table,
    settled_accounts: ir.Table,
    work_daily: ir.Table,
    lineage_facts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes savings, overhead and investment by day, per workload and for the company."""
    columns = tuple(name for name in MARTS["savings_daily"] if name not in ADDED)
    own = workload_days(
        calendar, kinds, counterfactual_daily, old_volume, workload_state, commitments, pool_idle,
        spend_daily, upkeep_daily, investment_daily, work_daily, lineage_facts, settings,
    ).select(columns)  # fmt: skip
    whole = portfolio_days(
        own, kinds, commitments, pool_idle, silent_payers, investment_daily, upkeep_daily,
        workload_state, settled_accounts,
    )  # fmt: skip
    return with_running_totals(own.union(whole.select(columns))).select(*MARTS["savings_daily"])

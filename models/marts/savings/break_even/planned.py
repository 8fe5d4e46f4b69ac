"""What the config states of a workload's move besides its days (METHOD §6).

The portfolio bears the entries of every workload and those that name none.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.portfolio import PORTFOLIO, with_portfolio

KEYS = ["workload", "cutoff"]


def planned_investment(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Marks cutoff dates after which the config has an investment planned."""
    once = config_investments.filter(config_investments.kind != "upkeep")
    entries = once.select("date", owner="workload")
    concerned = (cutoffs.workload == entries.owner) | (cutoffs.workload == PORTFOLIO)
    ahead = cutoffs.join(entries, [concerned, cutoffs.cutoff < entries.date])
    return ahead.group_by(KEYS).agg(planned=ibis.literal(True))


def day_rates(workloads: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Finds each workload's newest engineering rate, else the newest that names no workload."""
    entries = config_investments.filter(config_investments.day_rate > 0)
    own = entries.group_by("workload").agg(own=entries.day_rate.argmax(entries.date))
    loose = entries.filter(entries.workload.isnull())
    common = loose.agg(common=loose.day_rate.argmax(loose.date))
    rows = left_join(workloads.select("workload"), own, ["workload"]).cross_join(common)
    return rows.select("workload", day_rate=ibis.coalesce(rows.own, rows.common))


def first_investments(investment_daily: ir.Table) -> ir.Table:
    """Finds the first day on which each workload, and the portfolio, spent on its move."""
    spent = investment_daily.filter(investment_daily.amount > 0).select("workload", "date")
    every = with_portfolio(spent)
    return every.group_by("workload").agg(first_invested=every.date.min())

"""Upkeep and investments that the config tells of, as they stand at a cutoff (METHOD §6.3).

The portfolio bears the entries of every workload and those that name none.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import PORTFOLIO
from models.contract.schema import MONEY

KEYS = ["workload", "cutoff"]


def monthly_upkeep(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Sums the monthly upkeep, in dollars, that a workload has at each cutoff date."""
    entries = config_investments.select("date", "amount_per_month", owner="workload")
    due = cutoffs.join(
        entries,
        [_concerned(cutoffs, entries), cutoffs.cutoff >= entries.date],
    )
    return due.group_by(KEYS).agg(monthly_upkeep=due.amount_per_month.sum().cast(MONEY))


def upkeep_so_far(cutoffs: ir.Table, investment_daily: ir.Table) -> ir.Table:
    """Sums a workload's upkeep, in dollars, that was due up to each cutoff date."""
    paid = investment_daily.filter(investment_daily.kind == "upkeep").select(
        "date", "amount", owner="workload"
    )
    due = cutoffs.join(
        paid,
        [_concerned(cutoffs, paid), cutoffs.cutoff >= paid.date],
    )
    return due.group_by(KEYS).agg(upkeep_so_far=due.amount.sum())


def planned_investment(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Marks cutoff dates after which the config has an investment planned."""
    entries = config_investments.select("date", owner="workload")
    ahead = cutoffs.join(
        entries,
        [_concerned(cutoffs, entries), cutoffs.cutoff < entries.date],
    )
    return ahead.group_by(KEYS).agg(planned=ibis.literal(True))


def _concerned(cutoffs: ir.Table, entries: ir.Table) -> ir.BooleanValue:
    """Whether a workload bears an investment of the config; the portfolio bears all."""
    return (cutoffs.workload == entries.owner) | (cutoffs.workload == PORTFOLIO)

"""Finds one-off investments that the config dates after a month's end (METHOD §6.5).

The portfolio has the entries of every workload and those that name none. Funding to come is none.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import PORTFOLIO

KEYS = ["workload", "cutoff"]


def planned_investment(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Lists workloads and month ends after which the config has one-off investment (`planned`)."""
    once = config_investments.filter(config_investments.kind != "upkeep")
    once = once.filter(once.amount > 0)
    entries = once.select("date", owner="workload")
    concerned = (cutoffs.workload == entries.owner) | (cutoffs.workload == PORTFOLIO)
    ahead = cutoffs.join(entries, [concerned, cutoffs.cutoff < entries.date])
    return ahead.group_by(KEYS).agg(planned=ibis.literal(True))

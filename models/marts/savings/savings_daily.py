"""Savings by day and workload, with their running totals.

Grain: date × workload. Dollars on the configured basis; see `ledger` for what is null and why.
Running totals cover settled days only and are unknown from the first unknown day on. `trn_cost` and
`epochs` are of the lineages whose savings count; of every lineage only where none compares, and
then no saving stands beside them (METHOD §3.4, §6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import MARTS, PORTFOLIO


def savings_daily(running: ir.Table) -> ir.Table:
    """The mart of that name: every workload, without the portfolio."""
    rows = running.filter(running.workload != PORTFOLIO)
    return rows.select(*MARTS["savings_daily"])


def portfolio_daily(running: ir.Table) -> ir.Table:
    """The same columns for the portfolio: the sum over workloads and what names none."""
    rows = running.filter(running.workload == ibis.literal(PORTFOLIO))
    return rows.select(*MARTS["savings_daily"])

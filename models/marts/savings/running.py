"""The ledger with its running totals.

Grain: date × workload, and `(portfolio)`. Totals add settled days only (METHOD §6); null on
unsettled days, and from the first settled day whose saving is unknown.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO
from models.contract.schema import MONEY

TOTALS = {
    "cumulative_gross_saving": "gross_saving",
    "cumulative_net_saving": "net_saving",
    "cumulative_investment": "investment",
    "cumulative_saving_at_list": "saving_at_list",
}


def running(ledger: ir.Table) -> ir.Table:
    """Rows of `ledger` plus its running totals, and net saving less investment."""
    until = {"group_by": "workload", "order_by": "date"}

    def total(name: str) -> ir.Value:
        amounts = ibis.ifelse(ledger.settled, ledger[name], ZERO)
        unknown = amounts.isnull().any().over(ibis.cumulative_window(**until))
        added = amounts.sum().over(ibis.cumulative_window(**until)).cast(MONEY)
        return ibis.ifelse(ledger.settled & ~unknown, added, None)

    rows = ledger.mutate(**{name: total(flow) for name, flow in TOTALS.items()})
    return rows.mutate(
        cumulative_net=(rows.cumulative_net_saving - rows.cumulative_investment).cast(MONEY)
    )

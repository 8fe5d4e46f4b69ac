"""Computes what the move has returned on its investment (METHOD §6.4).

Example: with $10,000 invested and $1,138.125 saved it is −0.8861875; at 0 the move breaks even.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ratio


def return_on_investment(rows: ir.Table) -> ir.Value:
    """Returns the column of cumulative net ÷ investment so far; null if that is 0 or below."""
    earned = ratio(rows.cumulative_net, rows.cumulative_investment)
    return ibis.ifelse(rows.cumulative_investment > 0, earned, None)

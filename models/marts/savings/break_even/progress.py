"""Computes which part of the investment is paid back (METHOD §6.4).

Example: with $10,000 invested and $1,138.125 saved, progress is 0.1138125.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ratio
from models.contract.schema import MONEY


def progress(rows: ir.Table) -> ir.Value:
    """Returns the column of the part of investment paid back: net saving ÷ investment, 0 to 1."""
    paid = ratio(rows.cumulative_net_saving, rows.cumulative_investment)
    # not `clip`: its SQL repeats what it clips many times over, and each is planned
    return ibis.cases((paid > 1, 1), (paid > 0, paid), (paid <= 0, 0)).cast(MONEY)

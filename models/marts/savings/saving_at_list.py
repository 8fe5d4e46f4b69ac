"""Computes what a day's training saved at list prices, without any discount (METHOD §6.2).

The difference from gross saving is what discounts contributed and not the chip. Example: work that
costs $1,000 at the list price of GPU and $600 at that of Trainium saves $400, whatever was paid.
"""

from __future__ import annotations

import ibis.expr.types as ir


def saving_at_list(days: ir.Table) -> ir.Value:
    """Returns a day's gross saving with list prices on both sides; null if one is unknown.

    `listed` is the counterfactual at list prices, `trn_list` the list cost of the Trainium work.
    """
    return days.listed - days.trn_list

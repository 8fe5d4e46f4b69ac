"""The cost of a day of `spend_daily` where it is known; null where it is not."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def known_cost(rows: ir.Table, basis: str) -> ir.Value:
    """Dollars on a basis (`effective` or `billed`); null where the hours have no price.

    As billed, hours that a Capacity Block or an upfront purchase paid for show $0. Their cost is in
    the purchase and not in the day, so it is unknown rather than $0.
    """
    unknown = rows.unpriced if basis != "billed" else rows.unpriced | _prepaid(rows)
    return ibis.ifelse(unknown, None, rows[f"{basis}_cost"])


def _prepaid(rows: ir.Table) -> ir.BooleanValue:
    """Whether the hours were paid for by a purchase: a block's, or an upfront one."""
    upfront = (rows.billed_cost == 0) & (rows.effective_cost != 0)
    bought = (rows.purchase_option == "capacity_block") | upfront
    return bought & (rows.component == "accelerator")

"""Recognises accelerator hours that AWS billed at $0 without a reason; their cost is unknown.

Their cost is never taken for zero (METHOD §2.5). Usage of a Capacity Block is billed at $0, its fee
is on another line (METHOD §2.7). Until the fee is spread over the hours, their costs are null.
Example: 8 hours of p5 at $0 without a commitment are `unpriced`; 8 hours at $0 that a Savings Plan
covers are not.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import RESERVES_CAPACITY
from models.marts.cost.charges.components import is_spot

PRICED = ("list_cost", "contracted_cost", "effective_cost")
"""Costs that are unknown where a price is missing; the billed cost is the invoice's."""


def is_unpriced(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that used accelerator hours cost $0 and no plan or Spot explains it."""
    held_hours = rows.commitment.re_search(RESERVES_CAPACITY).fill_null(True)
    bought = held_hours & ~is_spot(rows).fill_null(False)
    held = rows.reservation_status.fill_null("") != "Unused"
    worked = (rows.quantity > 0).fill_null(False)
    return cast(ir.BooleanValue, rows.accelerated & rows.free & bought & held & worked)


def without_missing_prices(rows: ir.Table) -> dict[str, ir.Value]:
    """Returns the columns of list, contracted and effective cost by name, null where unpriced."""
    return {name: ibis.ifelse(rows.unpriced, None, rows[name]) for name in PRICED}

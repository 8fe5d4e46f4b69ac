"""Moves Capacity Block fees to the hours that they paid for, so that each charge has its cost."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import same_keys
from models.contract.money import ZERO
from models.contract.schema import MONEY
from models.marts.cost.charges.missing_prices import PRICED

FEE = ["billing_account", "account", "region", "instance_type", "held", "date", "refunded"]
"""Identify a fee row of the bill."""


def amortised(attributed: ir.Table, block_spend: ir.Table, block_fees: ir.Table) -> ir.Table:
    """Returns all charges, with Capacity Block fees moved to the hours that they paid for.

    The row of a fee that pays for a known block keeps its billed cost as a `purchase`; its other
    costs move to the block's hours. `spread` is the effective cost that moved into a row: over a
    block's life it adds up to the net fee less what the bill itself had called effective. Example:
    a fee of $3,000 over 48 hours, 40 of them used: the fee row has spread −$3,000, the run +$2,500,
    idle +$500.
    """
    columns = [*attributed.columns, "spread"]
    priced = attributed.filter(~attributed.unpriced).mutate(spread=ZERO)
    return _without_fees(priced, block_fees).select(columns).union(block_spend.select(columns))


def _without_fees(rows: ir.Table, block_fees: ir.Table) -> ir.Table:
    """Sets the costs of matched Capacity Block fee rows to $0, except the billed cost."""
    taken = block_fees.select(*(block_fees[n].name(f"{n}_of") for n in FEE)).distinct()
    taken = taken.mutate(taken=ibis.literal(value=True))
    keyed = rows.mutate(
        held=ibis.coalesce(rows.reservation, rows.commitment), refunded=rows.billed_cost < 0
    )
    joined = keyed.left_join(taken, same_keys(keyed, taken, FEE, "_of"))
    is_fee = (joined.attribution == "purchase") & (joined.purchase_option == "capacity_block")
    moved = is_fee & joined.taken
    return joined.mutate(
        spread=ibis.ifelse(moved, -joined.effective_cost, joined.spread),
        **{name: ibis.ifelse(moved, ZERO, joined[name]).cast(MONEY) for name in PRICED},
    )

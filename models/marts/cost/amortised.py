"""Every charge at what it cost, Capacity Block fees spread over the blocks' hours.

Grain: that of `attributed`, plus a row per block and day for the hours that nobody used. Hours that
a block may cover stand here as `block_spend` has them. The fee row keeps its billed cost as a
`purchase` and gives up its other costs. `spread` is what that moved into the row (dollars,
effective): Σ over a block's life is the net fee less what the bill itself had called effective.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import same_keys
from models.contract.money import ZERO
from models.contract.schema import MONEY
from models.marts.cost.capacity_blocks.block_spend import SHARED

FEE = ["billing_account", "account", "region", "instance_type", "held", "date", "refunded"]


def amortised(attributed: ir.Table, block_spend: ir.Table, block_fees: ir.Table) -> ir.Table:
    """Columns of `attributed` and `spread`."""
    columns = [*attributed.columns, "spread"]
    usual = attributed.filter(~attributed.unpriced).mutate(spread=ZERO)
    return _without_fees(usual, block_fees).select(columns).union(block_spend.select(columns))


def _without_fees(rows: ir.Table, block_fees: ir.Table) -> ir.Table:
    """Fee rows that a block took: their cost now stands where the block's hours are."""
    taken = block_fees.select(*(block_fees[n].name(f"{n}_of") for n in FEE)).distinct()
    taken = taken.mutate(taken=ibis.literal(value=True))
    mark = rows.mutate(
        held=ibis.coalesce(rows.reservation, rows.commitment), refunded=rows.billed_cost < 0
    )
    joined = mark.left_join(taken, same_keys(mark, taken, FEE, "_of"))
    is_fee = (joined.attribution == "purchase") & (joined.purchase_option == "capacity_block")
    gone = is_fee & joined.taken
    return joined.mutate(
        spread=ibis.ifelse(gone, -joined.effective_cost, joined.spread),
        **{name: ibis.ifelse(gone, ZERO, joined[name]).cast(MONEY) for name in SHARED},
    )

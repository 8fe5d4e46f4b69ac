"""The hours billed at $0, at what a Capacity Block makes them cost.

Grain: that of `block_use`, plus a row per block and day for the hours that nobody used. Hours that
a block covers carry their share of its fee and stay with whoever used them; the rest of the block's
hours is `idle_commitment`; shares add up to the net fee to the last 1e-9. `spread` is what that
moved into the row (dollars, effective). Days after the account's newest are not spread yet: prepaid
(METHOD §2.7). Hours that none covers stay without a price.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, allocated
from models.contract.schema import COST_COLUMNS
from models.marts.cost.charges.usage_types import types

SHARED = ("list_cost", "contracted_cost", "effective_cost")
DUST = 0.000001


def block_spend(
    attributed: ir.Table,
    block_use: ir.Table,
    capacity_blocks: ir.Table,
    catalog: ir.Table,
    settled_accounts: ir.Table,
) -> ir.Table:
    """Columns of `attributed` and `spread`."""
    columns = [*attributed.columns, "spread"]
    outside = block_use.filter(block_use.block.isnull()).mutate(spread=ZERO)
    used = block_use.filter(block_use.block.notnull())
    idle = _idle(attributed, used, capacity_blocks, catalog)
    hours = used.drop("block_hours").union(idle.select(used.drop("block_hours").columns))
    priced = _priced(hours, capacity_blocks, settled_accounts)
    return outside.select(columns).union(priced.select(columns))


def _idle(attributed: ir.Table, used: ir.Table, days: ir.Table, catalog: ir.Table) -> ir.Table:
    """The hours of each block's day that nobody used."""
    worked = used.group_by(used_block="block", used_on="date").agg(worked=used.instance_hours.sum())
    days = days.left_join(worked, [days.block == worked.used_block, days.date == worked.used_on])
    left = days.block_hours - ibis.coalesce(days.worked, ZERO)
    days = days.mutate(instance_hours=left).filter(lambda row: row.instance_hours > DUST)
    days = left_join(days, types(catalog), ["instance_type"])
    known = {
        "billing_period": days.date.truncate("M"),
        "component": ibis.literal("accelerator"),
        "purchase_option": ibis.literal("capacity_block"),
        "attribution": ibis.literal("idle_commitment"),
        "accelerator_hours": days.instance_hours * days.accelerators,
        "unpriced": ibis.literal(value=False),
        **dict.fromkeys(COST_COLUMNS, ZERO),
        **{
            name: days[name]
            for name in ("block", "date", "billing_account", "account", "region", "instance_type",
                         "reservation", "instance_hours")
        },
    }  # fmt: skip
    columns = {**dict(attributed.schema().items()), "block": "string"}
    return days.select(
        **{name: known.get(name, ibis.null(dtype)).cast(dtype) for name, dtype in columns.items()}
    )


def _priced(hours: ir.Table, capacity_blocks: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Each block's fee over all its hours, by hours; without the days that have not come."""
    whole = capacity_blocks.select(
        paid_block="block",
        fee="fee",
        listed="list_cost",
        contracted="contracted_cost",
        payer="billing_account",
    ).distinct()
    rows = hours.join(whole, hours.block == whole.paid_block)
    rows = rows.mutate(
        effective_cost=rows.fee,
        list_cost=rows.listed,
        contracted_cost=rows.contracted,
        owner=_owner(rows),
    )
    shares = allocated(rows, SHARED, weight="instance_hours", within=["block"], owner="owner")
    newest = settled_accounts.select(of="billing_account", newest="newest_day")
    shares = shares.join(newest, shares.payer.identical_to(newest.of))
    come = shares.filter(shares.date <= shares.newest)
    return come.mutate(
        commitment="block",
        spread=come.effective_cost,
        unpriced=ibis.literal(value=False),
    )


def _owner(hours: ir.Table) -> ir.IntegerValue:
    """Numbers the rows, so that rounding's residue always falls on the same one of a block's."""
    said = [name for name in hours.columns if hours[name].type().is_string()]
    return ibis.row_number().over(ibis.window(order_by=["date", *said]))

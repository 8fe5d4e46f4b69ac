"""Spreads Capacity Block fees over the hours that are billed at $0 (METHOD §2.7).

Hours that a block covers carry their part of its fee and stay with whoever used them; the block's
other hours are `idle_commitment`. The parts add up to the net fee to the last 1e-9. Hours that no
block covers stay without a price. Example: a fee of $3,000 for 48 instance-hours of which a run
used 40: $2,500 for the run, $500 idle.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, allocated
from models.contract.schema import COST_COLUMNS
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT
from models.marts.cost.capacity_blocks.block_days import block_days
from models.marts.cost.capacity_blocks.block_use import DUST, block_use
from models.marts.cost.charges.missing_prices import PRICED
from models.marts.cost.charges.usage_types import instance_types


@step(
    grain="that of attributed by day, its unpriced rows × block, and a row per block and day for "
    "the hours that nobody used",
    units="dollars on the four bases; spread: dollars, effective; instance and accelerator hours",
    nulls="as attributed",
    method="§2.5, §2.7",
    whose="run",
)
def block_spend(
    attributed: ir.Table,
    known_blocks: ir.Table,
    block_fees: ir.Table,
    catalog: ir.Table,
    settled_accounts: ir.Table,
) -> ir.Table:
    """Prices hours billed at $0 with their part of a Capacity Block fee; adds the unused hours.

    `spread` is the effective cost that moved into the row. Days after the newest usage day of the
    account get no part of the fee yet; theirs is still prepaid. Rows that stay `unpriced` have no
    block.
    """
    columns = [*attributed.columns, "spread"]
    days = block_days(known_blocks, block_fees)
    use = block_use(attributed, days)
    outside = use.filter(use.block.isnull()).mutate(spread=ZERO)
    used = use.filter(use.block.notnull())
    idle = _idle(attributed, used, days, catalog)
    hours = used.drop("block_hours").union(idle.select(used.drop("block_hours").columns))
    priced = _priced(hours, days, settled_accounts)
    return outside.select(columns).union(priced.select(columns))


def _idle(attributed: ir.Table, used: ir.Table, days: ir.Table, catalog: ir.Table) -> ir.Table:
    """Returns the unused hours of Capacity Blocks by day, still at $0, as `idle_commitment`."""
    worked = used.group_by(used_block="block", used_on="date").agg(worked=used.instance_hours.sum())
    days = days.left_join(worked, [days.block == worked.used_block, days.date == worked.used_on])
    left = days.block_hours - ibis.coalesce(days.worked, ZERO)
    days = days.mutate(instance_hours=left).filter(lambda row: row.instance_hours > DUST)
    days = left_join(days, instance_types(catalog), ["instance_type"])
    known = {
        "billing_period": days.date.truncate("M"),
        "component": ibis.literal("accelerator"),
        "purchase_option": ibis.literal("capacity_block"),
        "attribution": ibis.literal(IDLE_COMMITMENT),
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


def _priced(hours: ir.Table, days: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Spreads each Capacity Block's fee over its hours; drops days that are not billed yet."""
    whole = days.select(
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
    shares = allocated(rows, PRICED, weight="instance_hours", within=["block"], owner="owner")
    newest = settled_accounts.select(of="billing_account", newest="newest_day")
    shares = shares.join(newest, shares.payer.identical_to(newest.of))
    come = shares.filter(shares.date <= shares.newest)
    return come.mutate(
        commitment="block",
        spread=come.effective_cost,
        unpriced=ibis.literal(value=False),
    )


def _owner(hours: ir.Table) -> ir.IntegerValue:
    """Returns row numbers of Capacity Block hours in a fixed order, for reproducible rounding."""
    texts = [name for name in hours.columns if hours[name].type().is_string()]
    return ibis.row_number().over(ibis.window(order_by=["date", *texts]))

"""Which of the hours billed at $0 a Capacity Block covers.

Grain: that of `attributed`'s unpriced rows × block, and one row without a block for hours that none
covers. Hours of a day are laid on the blocks of their type, account and region that are open that
day, in proportion to those blocks' hours: the bill says no more. Hours beyond what the open blocks
hold stay without a block, and so without a price; all rows of that day share in them, because
nobody can tell whose they were (METHOD §2.5, §2.7).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import ZERO, known_sum, money, product, ratio
from models.schema import COST_COLUMNS

QUANTITIES = ("quantity", "instance_hours", "accelerator_hours")
AMOUNTS = (*QUANTITIES, *COST_COLUMNS)
DUST = 0.000001
"""Hours; less than this is what rounding leaves."""


def block_use(attributed: ir.Table, capacity_blocks: ir.Table) -> ir.Table:
    """Columns of `attributed`, `block` (null: none) and `block_hours` of the block's day."""
    grain = [name for name in attributed.columns if name not in AMOUNTS]
    free = attributed.filter(attributed.unpriced)
    rows = free.group_by(grain).agg(**{name: known_sum(free[name]) for name in AMOUNTS})
    pairs = _offered(rows, capacity_blocks, grain)
    open_day = ibis.window(group_by=["block", "date"])
    load = pairs.offer.sum().over(open_day)
    scaled = ratio(product(pairs.offer, pairs.block_hours), load)
    pairs = pairs.mutate(covered=ibis.ifelse(load <= pairs.block_hours, pairs.offer, scaled))
    beyond = pairs.instance_hours - pairs.covered.sum().over(ibis.window(group_by=grain))
    pairs = pairs.mutate(beyond=money(beyond.fill_null(pairs.instance_hours)))
    columns = [*attributed.columns, "block", "block_hours"]
    inside = pairs.filter(pairs.block.notnull() & (pairs.covered > 0))
    outside = pairs.filter(pairs.beyond > DUST).mutate(
        block=ibis.null("string"), block_hours=ibis.null("decimal(38, 9)")
    )
    outside = outside.drop("offer", "covered").distinct()
    return (
        _sized(inside, "covered").select(columns).union(_sized(outside, "beyond").select(columns))
    )


def _offered(rows: ir.Table, blocks: ir.Table, grain: list[str]) -> ir.Table:
    """Each row beside the blocks open to it; `offer` is its hours, by those blocks' hours."""
    days = blocks.select(
        "block", "block_hours", day="date", type_="instance_type", of_="account", in_="region",
        held_="reservation",
    )  # fmt: skip
    pairs = rows.left_join(
        days,
        [
            rows.date == days.day,
            rows.instance_type == days.type_,
            rows.account.identical_to(days.of_),
            (rows.region == days.in_) | days.in_.isnull(),
            days.held_.isnull() | rows.reservation.isnull() | rows.reservation.contains(days.held_),
        ],
    ).drop("day", "type_", "of_", "in_", "held_")
    row = ibis.window(group_by=grain)
    alone = pairs.block.count().over(row) == 1
    part = ratio(
        product(pairs.instance_hours, pairs.block_hours), pairs.block_hours.sum().over(row)
    )
    return pairs.mutate(offer=ibis.ifelse(alone, pairs.instance_hours, part))


def _sized(rows: ir.Table, hours: str) -> ir.Table:
    """The row cut down to `hours`; its amounts are all $0 and stay so."""
    whole = rows[hours] == rows.instance_hours
    cut = {
        name: ibis.ifelse(whole, rows[name], ratio(product(rows[name], rows[hours]), rows.quantity))
        for name in QUANTITIES
    }
    costs = dict.fromkeys(COST_COLUMNS, ZERO)
    return rows.mutate(**cut, **costs)

"""Which of the hours billed at $0 a Capacity Block covers.

Grain: `attributed`'s unpriced rows, those that are alike as one, × block; and one row without a
block for hours that none covers. Hours are laid on the blocks of their type, account and region
that were open in the hour of their line; where an hour's lines are more than those blocks hold,
they are a day's, and are laid on the blocks of the day. Among several open blocks they are laid in
proportion to the blocks' hours: the bill says no more. In the hour in which one block ends and the
next begins, a run that only ran before it used the first, and one that only ran after it the
second. Hours beyond what the open blocks hold stay without a block, and so without a price; all
rows of that day share in them, because nobody can tell whose they were (METHOD §2.5, §2.7).
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, product, ratio
from models.contract.schema import COST_COLUMNS
from models.marts.cost.charges.charge_kinds import SLOT

QUANTITIES = ("instance_hours", "accelerator_hours")
AMOUNTS = (*QUANTITIES, *COST_COLUMNS)
HOUR = 3600
DUST = 0.000001
"""Hours; less than this is what rounding leaves."""


def block_use(attributed: ir.Table, capacity_blocks: ir.Table) -> ir.Table:
    """Columns of `attributed`, `block` (null: none) and `block_hours` of the block's day."""
    grain = [name for name in attributed.columns if name not in AMOUNTS]
    pairs = _offered(_alike(attributed.filter(attributed.unpriced), grain), capacity_blocks, grain)
    open_day = ibis.window(group_by=["block", "date"])
    load = pairs.offer.sum().over(open_day)
    scaled = ratio(product(pairs.offer, pairs.block_hours), load)
    pairs = pairs.mutate(covered=ibis.ifelse(load <= pairs.block_hours, pairs.offer, scaled))
    beyond = pairs.instance_hours - pairs.covered.sum().over(ibis.window(group_by=grain))
    # nobody knows how many hours a unit that is none of time stands for: no block covers them
    pairs = pairs.mutate(beyond=beyond.fill_null(pairs.instance_hours))
    columns = [*grain, *QUANTITIES, "block", "block_hours"]
    inside = pairs.filter(pairs.covered > 0)
    outside = pairs.filter((pairs.beyond > DUST).fill_null(True)).mutate(
        block=ibis.null("string"), block_hours=ibis.null("decimal(38, 9)")
    )
    outside = outside.drop("offer", "covered").distinct()
    every = (
        _sized(inside, "covered").select(columns).union(_sized(outside, "beyond").select(columns))
    )
    # what they would cost on demand is no block's price
    free = _by_day(every).mutate(**dict.fromkeys(COST_COLUMNS, ZERO))
    return free.select(*attributed.columns, "block", "block_hours")


def _alike(rows: ir.Table, grain: list[str]) -> ir.Table:
    """Rows that differ in nothing but their amounts, as one."""
    return rows.group_by(grain).agg(**{name: rows[name].sum() for name in QUANTITIES})


def _by_day(rows: ir.Table) -> ir.Table:
    """Hours of a day together again: a fee is shared over few rows, and rounded seldom."""
    kept = [name for name in rows.columns if name not in (*QUANTITIES, *SLOT)]
    days = rows.group_by(kept).agg(**{name: known_sum(rows[name]) for name in QUANTITIES})
    return days.mutate(**{name: ibis.null(rows[name].type()) for name in SLOT})


def _offered(rows: ir.Table, blocks: ir.Table, grain: list[str]) -> ir.Table:
    """Each row beside the blocks open to it; `offer` is its hours, by those blocks' hours."""
    days = blocks.select(
        "block", "block_hours", "instances", "start", "end", day="date", type_="instance_type",
        of_="account", in_="region", held_="reservation",
    )  # fmt: skip
    rows = _placed(rows, grain)
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
    pairs = pairs.mutate(open_hours=_open_hours(pairs, row))
    alone = (pairs.open_hours > 0).sum().over(row) == 1
    part = ratio(product(pairs.instance_hours, pairs.open_hours), pairs.open_hours.sum().over(row))
    offer = ibis.ifelse(alone & (pairs.open_hours > 0), pairs.instance_hours, part)
    beside = ("instances", "start", "end", "busy", "came", "goes", "open_hours")
    return pairs.mutate(offer=offer).drop(*beside)


def _placed(rows: ir.Table, grain: list[str]) -> ir.Table:
    """How busy the hour was, and whether the row's owner came from the one before, goes on after.

    Rows without an hour are a day's.
    """
    there = ["account", "region", "instance_type", "reservation", *SLOT]
    same = [name for name in grain if name not in SLOT]
    turn = ibis.window(group_by=same, order_by="used_from")
    return rows.mutate(
        busy=rows.instance_hours.sum().over(ibis.window(group_by=there)),
        came=(rows.used_to.lag().over(turn) == rows.used_from).fill_null(False),
        goes=(rows.used_from.lead().over(turn) == rows.used_to).fill_null(False),
    )


def _open_hours(pairs: ir.Table, row: ir.Window) -> ir.DecimalValue:
    """The block's hours in the row's hour, or in its day where the hour cannot be right."""
    begin = ibis.greatest(pairs.start.epoch_seconds(), pairs.used_from.epoch_seconds())
    end = ibis.least(pairs.end.epoch_seconds(), pairs.used_to.epoch_seconds())
    hours = ratio(pairs.instances * ibis.greatest(end - begin, 0), ibis.literal(HOUR))
    other = (pairs.came & ~pairs.goes & (pairs.start > pairs.used_from)) | (
        pairs.goes & ~pairs.came & (pairs.end < pairs.used_to)
    )
    own = ibis.ifelse(other, ZERO, hours)
    narrow = ibis.ifelse(own.sum().over(row) >= pairs.instance_hours, own, hours)
    timely = (pairs.busy <= hours.sum().over(row)) & pairs.used_from.notnull()
    return cast(ir.DecimalValue, ibis.ifelse(timely, narrow, pairs.block_hours))


def _sized(rows: ir.Table, hours: str) -> ir.Table:
    """The row cut down to `hours`."""
    whole = rows[hours] == rows.instance_hours
    cut = {
        name: ibis.ifelse(
            whole, rows[name], ratio(product(rows[name], rows[hours]), rows.instance_hours)
        )
        for name in QUANTITIES
    }
    return rows.mutate(**cut)

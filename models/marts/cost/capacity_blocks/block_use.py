"""Assigns hours billed at $0 to the Capacity Blocks that cover them (METHOD §2.7).

Hours are assigned to blocks of their type, account and region that were open in the hour of the
line. Hours that name a block's reservation are that block's in whatever account they ran, because
its owner may share it. If an hour has more hours than these blocks hold, they are of the blocks of
the day. Several open blocks get them in proportion to the blocks' hours, because the bill says no
more. In the hour in which one block ends and the next begins, a run that ran only before used the
first, and a run that ran only after used the second. Hours beyond what the open blocks hold have no
block, and so no price; all rows of the day share them, because their owner is unknown. Example: two
runs used 20 hours each and the open blocks hold 30: each run has 15 hours covered and 5 unpriced.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, product, ratio
from models.contract.schema import COST_COLUMNS
from models.marts.cost.charges.charge_kinds import HOUR_COLUMNS

QUANTITIES = ("instance_hours", "accelerator_hours")
AMOUNTS = (*QUANTITIES, *COST_COLUMNS)
HOUR = 3600
"""Seconds."""
DUST = 0.000001
"""Hours; less than this is what rounding leaves."""


def block_use(attributed: ir.Table, block_days: ir.Table) -> ir.Table:
    """Assigns hours billed at $0 to the Capacity Blocks that cover them, by day; null if none.

    Equal rows of a day are summed to one. `block` is null for hours that no block covers;
    `block_hours` are those of the block's day. Costs are $0, because what the hours would cost on
    demand is no price of the block.
    """
    grain = [name for name in attributed.columns if name not in AMOUNTS]
    pairs = _offered(_merged(attributed.filter(attributed.unpriced), grain), block_days, grain)
    open_day = ibis.window(group_by=["block", "date"])
    load = pairs.offer.sum().over(open_day)
    scaled = ratio(product(pairs.offer, pairs.block_hours), load)
    pairs = pairs.mutate(covered=ibis.ifelse(load <= pairs.block_hours, pairs.offer, scaled))
    beyond = pairs.instance_hours - pairs.covered.sum().over(ibis.window(group_by=grain))
    # how many hours a unit other than time is worth is unknown: no block covers them
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
    free = _by_day(every).mutate(**dict.fromkeys(COST_COLUMNS, ZERO))
    return free.select(*attributed.columns, "block", "block_hours")


def _merged(rows: ir.Table, grain: list[str]) -> ir.Table:
    """Sums rows of hours billed at $0 that differ only in their amounts."""
    return rows.group_by(grain).agg(**{name: rows[name].sum() for name in QUANTITIES})


def _by_day(rows: ir.Table) -> ir.Table:
    """Sums hourly rows of Capacity Block use by day."""
    dimensions = [name for name in rows.columns if name not in (*QUANTITIES, *HOUR_COLUMNS)]
    days = rows.group_by(dimensions).agg(**{name: known_sum(rows[name]) for name in QUANTITIES})
    return days.mutate(**{name: ibis.null(rows[name].type()) for name in HOUR_COLUMNS})


def _offered(rows: ir.Table, blocks: ir.Table, grain: list[str]) -> ir.Table:
    """Pairs each row of $0 hours with Capacity Blocks open then; splits its hours among them."""
    days = blocks.select(
        "block", "block_hours", "instances", "start", "end", day="date", type_="instance_type",
        of_="account", in_="region", held_="reservation",
    )  # fmt: skip
    rows = _with_neighbours(rows, grain)
    pairs = rows.left_join(
        days,
        [
            rows.date == days.day,
            rows.instance_type == days.type_,
            rows.reservation.contains(days.held_).fill_null(rows.account.identical_to(days.of_)),
            (rows.region == days.in_)
            | days.in_.isnull()
            | days.in_.startswith(rows.region + "-"),  # a Local Zone
        ],
    ).drop("day", "type_", "of_", "in_", "held_")
    row = ibis.window(group_by=grain)
    pairs = pairs.mutate(open_hours=_open_hours(pairs, row))
    alone = (pairs.open_hours > 0).sum().over(row) == 1
    part = ratio(product(pairs.instance_hours, pairs.open_hours), pairs.open_hours.sum().over(row))
    offer = ibis.ifelse(alone & (pairs.open_hours > 0), pairs.instance_hours, part)
    return pairs.mutate(offer=offer).drop(
        "instances", "start", "end", "busy", "came", "goes", "open_hours"
    )


def _with_neighbours(rows: ir.Table, grain: list[str]) -> ir.Table:
    """Adds the $0 hours of all at a place and time, and if the same use ran just before or after.

    A row without an hour is about its whole day.
    """
    there = ["account", "region", "instance_type", "reservation", *HOUR_COLUMNS]
    same = [name for name in grain if name not in HOUR_COLUMNS]
    turn = ibis.window(group_by=same, order_by="used_from")
    return rows.mutate(
        busy=rows.instance_hours.sum().over(ibis.window(group_by=there)),
        came=(rows.used_to.lag().over(turn) == rows.used_from).fill_null(False),
        goes=(rows.used_from.lead().over(turn) == rows.used_to).fill_null(False),
    )


def _open_hours(pairs: ir.Table, row: ir.Window) -> ir.DecimalValue:
    """Returns how many hours a Capacity Block offers in the hour, or day, of a charge."""
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
    """Scales a row's instance and accelerator hours to a given number of instance-hours."""
    whole = rows[hours] == rows.instance_hours
    cut = {
        name: ibis.ifelse(
            whole, rows[name], ratio(product(rows[name], rows[hours]), rows.instance_hours)
        )
        for name in QUANTITIES
    }
    return rows.mutate(**cut)

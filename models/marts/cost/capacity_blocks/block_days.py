"""Splits each Capacity Block's paid hours by UTC day.

Blocks start and end at 11:30, so a block of one day has hours on two. A block without a fee on the
bill is absent, because its cost is not known yet (METHOD §2.5, §2.7).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, ratio

HOUR = 3600
"""Seconds."""


def block_days(known_blocks: ir.Table, block_fees: ir.Table) -> ir.Table:
    """Returns a row per paid Capacity Block and day: the day's hours and the whole fee.

    `block_hours` are instances × hours of the block inside the day, and add up to instances × block
    hours. `fee` is the bill's own, net of refunds, in dollars of the whole block; `list_cost` and
    `contracted_cost` are the same where the bill gives none for the fee. The account is that of the
    fee's row, and so is the region where the block names none. Example: 2 instances from 11:30 to
    11:30 the next day have 25 hours on the first day and 23 on the second.
    """
    paid = block_fees.group_by(paid_block="block").agg(
        billing_account=block_fees.billing_account.max(),
        paid_account=block_fees.account.max(),
        paid_region=block_fees.region.max(),
        fee=block_fees.billed_cost.sum(),
        list_cost=known_sum(block_fees.list_cost),
        contracted_cost=known_sum(block_fees.contracted_cost),
    )
    rows = known_blocks.drop("fee", "purchase", "bought", "exact").join(
        paid, known_blocks.block == paid.paid_block
    )
    days = _days(rows)
    return days.select(
        "block",
        "date",
        "billing_account",
        "instance_type",
        "reservation",
        "instances",
        "start",
        "end",
        account="paid_account",
        region=ibis.coalesce(days.region, days.paid_region),
        block_hours=_hours(days),
        fee="fee",
        **{name: _known_cost(days[name], days.fee) for name in ("list_cost", "contracted_cost")},
    ).filter(lambda row: row.block_hours > 0)


def _days(rows: ir.Table) -> ir.Table:
    """Repeats each Capacity Block for every day from its start to its end."""
    length = rows.end.date().epoch_days() - rows.start.date().epoch_days()
    offsets = rows.mutate(offset=ibis.range(0, length.cast("int64") + 1).unnest())
    day = offsets.start.date() + offsets.offset.as_interval("D")
    return offsets.mutate(date=day.cast("timestamp").date())


def _hours(days: ir.Table) -> ir.DecimalValue:
    """Returns a Capacity Block's instance-hours within the row's day."""
    midnight = days.date.cast("timestamp")
    begin = ibis.greatest(days.start.epoch_seconds(), midnight.epoch_seconds())
    end = ibis.least(days.end.epoch_seconds(), midnight.epoch_seconds() + 24 * HOUR)
    return ratio(days.instances * ibis.greatest(end - begin, 0), ibis.literal(HOUR))


def _known_cost(amount: ir.Value, fee: ir.Value) -> ir.Value:
    """Returns a Capacity Block's list or contracted cost; where the bill has none, its own fee."""
    return ibis.ifelse(fee == 0, ZERO, ibis.coalesce(amount.nullif(0), fee))

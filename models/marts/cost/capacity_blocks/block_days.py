"""The hours of each Capacity Block that the bill has charged a fee for, by UTC day.

Grain: block × date; `block_hours` are instances × the hours of the block inside that day (blocks
start and end at 11:30), so they add up to instances × block hours. The fee is the bill's own, net
of refunds, in dollars of the whole block; `list_cost` and `contracted_cost` are null where the bill
gives none for the fee. Where nobody says, account and region are the fee row's. A
block without a fee on the bill is absent: what it costs is not known yet (METHOD §2.5, §2.7).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, known_sum, ratio

HOUR = 3600


def capacity_blocks(known_blocks: ir.Table, block_fees: ir.Table) -> ir.Table:
    """`block`, `date`, where and what it is, `block_hours`, and the fee of the whole block."""
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
        **{name: _told(days[name], days.fee) for name in ("list_cost", "contracted_cost")},
    ).filter(lambda row: row.block_hours > 0)


def _days(rows: ir.Table) -> ir.Table:
    length = rows.end.date().epoch_days() - rows.start.date().epoch_days()
    offsets = rows.mutate(offset=ibis.range(0, length.cast("int64") + 1).unnest())
    day = offsets.start.date() + offsets.offset.as_interval("D")
    return offsets.mutate(date=day.cast("timestamp").date())


def _hours(days: ir.Table) -> ir.DecimalValue:
    """Instance-hours of the block between midnight and midnight."""
    midnight = days.date.cast("timestamp")
    begin = ibis.greatest(days.start.epoch_seconds(), midnight.epoch_seconds())
    end = ibis.least(days.end.epoch_seconds(), midnight.epoch_seconds() + 24 * HOUR)
    return ratio(days.instances * ibis.greatest(end - begin, 0), ibis.literal(HOUR))


def _told(amount: ir.Value, fee: ir.Value) -> ir.Value:
    """A basis that says $0 for a fee that was paid says nothing; a block refunded whole is $0."""
    return ibis.ifelse(fee == 0, ZERO, amount.nullif(0))

"""Separates what an operating system costs from the hours of a Capacity Block (METHOD §2.7).

A block has two prices: its fee, and by the hour that of an operating system that is not free, such
as RHEL or SUSE. Such hours are billed at the latter and not at $0, and are hours of the block all
the same. They are known by the block's reservation, which their line names. Example: a run used 24
hours of a block whose fee is $755.14, on RHEL at $2.76 an hour: it cost both, $821.49.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO
from models.contract.schema import COST_COLUMNS
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT

HOURS = ("instance_hours", "accelerator_hours")


def with_hours_of_blocks(rows: ir.Table, known_blocks: ir.Table) -> ir.Table:
    """Splits charges for used Capacity Block hours in two: cost without hours, hours without cost.

    The hours are then `unpriced`, as those that a block bills at $0, so that its fee is spread over
    them.
    """
    paid = rows.reservation.isin(_reservations(rows, known_blocks)) & ~rows.unpriced
    paid &= (rows.accelerator_hours > 0) & (rows.attribution != IDLE_COMMITMENT)
    marked = rows.mutate(paid=paid.fill_null(False))
    option = ibis.ifelse(marked.paid, "capacity_block", marked.purchase_option)
    marked = marked.mutate(purchase_option=option)
    hours = marked.filter(marked.paid).mutate(
        unpriced=ibis.literal(value=True),
        **{name: ZERO.cast(marked[name].type()) for name in COST_COLUMNS},
    )
    costs = marked.mutate(
        **{name: ibis.ifelse(marked.paid, ZERO, marked[name]).cast(marked[name].type())
           for name in HOURS}
    )  # fmt: skip
    return costs.select(rows.columns).union(hours.select(rows.columns))


def _reservations(rows: ir.Table, known_blocks: ir.Table) -> ir.StringColumn:
    """Returns the values by which charges name a Capacity Block's reservation: its id, or ARN."""
    named = rows.select("reservation").distinct()
    ids = known_blocks.select(id="reservation").distinct()
    return named.semi_join(ids, named.reservation.contains(ids.id)).reservation

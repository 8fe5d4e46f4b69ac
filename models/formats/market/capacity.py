"""EC2's answers about capacity: what is reserved, what is on offer, and where types are sold.

`kind` tells the rows apart: `reservation` (on-demand, or a Capacity Block's: `reservation_type`),
`block` (its purchase, without a fee), `extension` (of a block's hours, with its fee), `offer` (a
block that could be bought; `fee` in dollars for all its instances and hours), `zone` (an instance
type that a zone has). All are kept as often as they were told; `said_at` orders them.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, CAPACITY
from models.formats import answered, fields

NAME = "capacity"
VIEW: Literal["capacity"] = "capacity"
REQUIRED = answered.REQUIRED
KINDS = {
    "DescribeCapacityReservations": "reservation",
    "DescribeCapacityBlocks": "block",
    "DescribeCapacityBlockExtensionHistory": "extension",
    "DescribeCapacityBlockOfferings": "offer",
    "DescribeInstanceTypeOfferings": "zone",
}
STANDING = ("active", "scheduled")
TEXTS = {
    "zone": ("AvailabilityZone", "Location"),
    "instance_type": ("InstanceType",),
    "reservation": ("CapacityReservationId",),
    "reservations": ("CapacityReservationIds",),
    "block": ("CapacityBlockId",),
    "offering": ("CapacityBlockOfferingId",),
    "reservation_type": ("ReservationType",),
    "state": ("State", "CapacityBlockExtensionStatus"),
    "tenancy": ("Tenancy",),
    "owner": ("OwnerId",),
    "end_type": ("EndDateType",),
}
COUNTS = {
    "instances": ("TotalInstanceCount", "InstanceCount"),
    "available": ("AvailableInstanceCount",),
    "hours": ("CapacityBlockDurationHours", "CapacityBlockExtensionDurationHours"),
}
TIMES = {
    "created": ("CreateDate", "CapacityBlockExtensionPurchaseDate"),
    "start": ("StartDate", "CapacityBlockExtensionStartDate"),
    "end": ("EndDate", "CapacityBlockExtensionEndDate"),
}


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per item of an answer, in the schema of `capacity`."""
    known: dict[str, ir.Value] = {
        "kind": ibis.cases(*((lines.operation == name, kind) for name, kind in KINDS.items())),
        "account": lines.account,
        "region": lines.region,
        "observed_on": lines.observed_on,
        "said_at": lines.said_at,
        **{name: _first(lines, *names) for name, names in (TEXTS | COUNTS).items()},
        **{name: _instant(lines, *names) for name, names in TIMES.items()},
        "fee": answered.said(lines, "UpfrontFee"),
    }
    return lines.select(**{name: known[name].cast(dtype) for name, dtype in CAPACITY.items()})


def refusals(lines: ir.Table) -> ir.Table:
    """A fee in another currency; counts, times or fees that cannot be read, or cannot be meant."""
    counts = [name for names in COUNTS.values() for name in names]
    fee = answered.said(lines, "UpfrontFee")
    return fields.faults(
        lines,
        [
            answered.other_currency(answered.said(lines, "CurrencyCode")),
            answered.unreadable(fee, "UpfrontFee", AMOUNT),
            answered.negative(fee, "UpfrontFee", AMOUNT),
            *(answered.unreadable(answered.said(lines, name), name, "int64") for name in counts),
            *(answered.negative(answered.said(lines, name), name, "int64") for name in counts),
            _empty(lines),
            *(
                answered.unreadable(answered.said(lines, name), name, "timestamp('UTC')")
                for names in TIMES.values()
                for name in names
            ),
        ],
    )


totals = answered.nothing


def _empty(lines: ir.Table) -> fields.Fault:
    """A reservation that stands is of one instance at least: its fee is spread over them."""
    total = answered.said(lines, "TotalInstanceCount")
    wrong = (total.try_cast("int64") == 0) & answered.said(lines, "State").isin(STANDING)
    return fields.Fault(
        cast(ir.BooleanValue, wrong.fill_null(False)),
        "TotalInstanceCount of a reservation that stands is 0",
        answered.said(lines, "CapacityReservationId"),
        "run again; then ask AWS support",
    )


def _instant(lines: ir.Table, *names: str) -> ir.Value:
    return ibis.coalesce(*(answered.instant(lines, name) for name in names))


def _first(lines: ir.Table, *names: str) -> ir.Value:
    return ibis.coalesce(*(answered.said(lines, name) for name in names))

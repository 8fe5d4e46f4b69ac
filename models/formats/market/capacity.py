"""Reads EC2's responses about capacity: reservations, Capacity Blocks, offers and zones.

`kind` tells the rows apart: `reservation` (on demand, or of a Capacity Block: `reservation_type`),
`block` (the purchase of one, without a fee), `extension` (more hours of one, with their fee),
`offer` (a block that could be bought; `fee` in dollars for all its instances and hours; without a
fee none was on offer), `zone` (a zone that has an instance type). Every answer is kept; `said_at`
orders them (METHOD §2.7).
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, CAPACITY
from models.formats import line_faults
from models.formats.format import no_totals
from models.formats.line_faults import Fault
from models.formats.market import aws_responses
from models.formats.market.aws_responses import text_at, time_at
from models.formats.schema_rows import schema_rows

NAME = "capacity"
VIEW: Literal["capacity"] = "capacity"
REQUIRED = aws_responses.REQUIRED
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
"""Our column → AWS's names for it; the first that an item has is read."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts EC2's answers on reservations, Capacity Blocks and zones to rows of `capacity`."""
    columns: dict[str, ir.Value] = {
        "kind": ibis.cases(*((lines.operation == name, kind) for name, kind in KINDS.items())),
        "account": lines.account,
        "region": lines.region,
        "observed_on": lines.observed_on,
        "said_at": lines.said_at,
        **{name: _first_text(lines, *names) for name, names in (TEXTS | COUNTS).items()},
        **{name: _first_time(lines, *names) for name, names in TIMES.items()},
        "fee": text_at(lines, "UpfrontFee"),
    }
    return schema_rows(lines, columns, CAPACITY)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each EC2 capacity item with bad values or currency."""
    counts = [name for names in COUNTS.values() for name in names]
    times = [name for names in TIMES.values() for name in names]
    fee = text_at(lines, "UpfrontFee")
    unreadable, negative = aws_responses.unreadable, aws_responses.negative
    return line_faults.faulty_lines(
        lines,
        [
            aws_responses.currency_fault(text_at(lines, "CurrencyCode")),
            unreadable(fee, "UpfrontFee", AMOUNT),
            negative(fee, "UpfrontFee", AMOUNT),
            *(unreadable(text_at(lines, name), name, "int64") for name in counts),
            *(negative(text_at(lines, name), name, "int64") for name in counts),
            _without_instances(lines),
            *(unreadable(text_at(lines, name), name, "timestamp('UTC')") for name in times),
        ],
    )


totals = no_totals


def _without_instances(lines: ir.Table) -> Fault:
    """Builds the check that refuses an active or scheduled reservation of 0 instances.

    It could not be used, because its fee is divided by its instances.
    """
    total = text_at(lines, "TotalInstanceCount")
    wrong = (total.try_cast("int64") == 0) & text_at(lines, "State").isin(STANDING)
    return Fault(
        cast(ir.BooleanValue, wrong.fill_null(False)),
        "TotalInstanceCount of a reservation in force is 0",
        text_at(lines, "CapacityReservationId"),
        "run again; then ask AWS support",
    )


def _first_time(lines: ir.Table, *names: str) -> ir.Value:
    return ibis.coalesce(*(time_at(lines, name) for name in names))


def _first_text(lines: ir.Table, *names: str) -> ir.Value:
    return ibis.coalesce(*(text_at(lines, name) for name in names))

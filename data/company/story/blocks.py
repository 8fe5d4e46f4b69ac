"""Simulates three Capacity Blocks: their lines on the bill, and what EC2 answers about them.

AWS bills the fee at once, and the hours at $0. No line names the hours of a block: EC2 tells them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from generator.charges import ZERO, Charge, identifier
from generator.company import costing
from generator.services import EC2
from generator.timeline import DAY, at
from generator.workloads import PLATFORM

from story.workloads import H100, TRN2


@dataclass(frozen=True)
class Block:
    """A purchase of a Capacity Block: machines, start, hours, price per hour, day of refund."""

    instance_type: str
    region: str
    instances: int
    bought: str
    start: str
    hours: int
    usd_per_hour: str
    refunded: str = ""

    @property
    def reservation(self) -> str:
        """A made-up id of the block's capacity reservation."""
        return identifier("cr", self.instance_type, self.start)

    @property
    def block(self) -> str:
        """A made-up id of the block itself, beside that of its reservation."""
        return identifier("cb", self.instance_type, self.start)

    @property
    def fee(self) -> Decimal:
        """The block's price in dollars: all hours of all its machines."""
        return Decimal(self.usd_per_hour) * self.hours * self.instances


BLOCKS = (
    Block(H100, "us-east-1", 1, "2026-08-03", "2026-08-12T11:30", 48, "41.528"),
    Block(TRN2, "us-east-2", 1, "2026-09-07", "2026-09-14T11:30", 24, "35.7608"),
    Block(H100, "us-east-1", 2, "2026-07-02", "2026-07-20T11:30", 24, "31.464", "2026-07-08"),
)
IN_BLOCKS = {"ember-b01": BLOCKS[0], "atlas-bench-trn2": BLOCKS[1]}
"""Runs whose hours a block paid for."""


def fees() -> Iterator[Charge]:
    """Yields bill lines: each Capacity Block's fee on the day of purchase, and refunds."""
    for block in BLOCKS:
        paid = Charge(
            at(f"{block.bought}T00:00"),
            at(f"{block.bought}T00:00") + DAY,
            PLATFORM,
            EC2,
            f"Capacity Block fee for {block.instance_type}",
            category="Purchase",
            frequency="One-Time",
            region=block.region,
            usage_type=f"CapacityBlockFee:{block.instance_type}",
            reservation=block.reservation,
            reservation_status="Used",
            instance_type=block.instance_type,
            resource=block.reservation,
            resource_type="capacity-reservation",
        )
        yield costing(paid, block.fee)
        if block.refunded:
            start = at(f"{block.refunded}T00:00")
            back = replace(paid, start=start, end=start + DAY, charge_class="Correction")
            yield costing(replace(back, description=f"Refund: {paid.description}"), -block.fee)


def paid_by_block(line: Charge) -> Charge:
    """Returns a line at $0 if it is an instance-hour of a run in a Capacity Block, else as is."""
    block = IN_BLOCKS.get(line.tags.get("user:run", ""))
    if block is None or not line.instance_type:
        return line
    return replace(
        line,
        billed=ZERO,
        effective=ZERO,
        contracted=ZERO,
        discounts={},
        description=f"$0.00 per Capacity Block Linux {line.instance_type} Instance Hour",
        reservation=block.reservation,
        reservation_status="Used",
    )


def reservations(until: str) -> list[dict[str, Any]]:
    """Returns DescribeCapacityReservations' entries for the blocks bought by a day."""
    return [
        {
            "CapacityReservationId": block.reservation,
            "CapacityBlockId": block.block,
            "OwnerId": PLATFORM,
            "InstanceType": block.instance_type,
            "AvailabilityZone": f"{block.region}a",
            "TotalInstanceCount": block.instances,
            "AvailableInstanceCount": 0,
            "Tenancy": "default",
            "State": "cancelled" if block.refunded else "expired",
            "ReservationType": "capacity-block",
            "CreateDate": f"{block.bought}T09:00:00Z",
            "StartDate": f"{block.start}:00Z",
            "EndDate": f"{at(block.start) + timedelta(hours=block.hours):%Y-%m-%dT%H:%M:%S}Z",
            "EndDateType": "limited",
            "Region": block.region,
        }
        for block in BLOCKS
        if block.bought <= until
    ]


def purchases(until: str) -> list[dict[str, Any]]:
    """Returns DescribeCapacityBlocks' entries for the blocks bought by a day."""
    return [
        {
            "CapacityBlockId": block.block,
            "CapacityReservationIds": [block.reservation],
            "State": "cancelled" if block.refunded else "expired",
            "Region": block.region,
        }
        for block in BLOCKS
        if block.bought <= until
    ]

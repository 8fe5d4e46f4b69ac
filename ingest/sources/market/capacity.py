"""Fetches EC2 reservations and Capacity Blocks, and offers and zones of accelerator types.

Key: account and region with the question, and `all`. All deliveries stay live; one is new only when
something changed, where the number of instances in use does not count. The bill does not name the
hours of a Capacity Block (METHOD §2.7). Zones and offers are requested for the instance types on
the bill, offers only for types that AWS sells as blocks. All requests are free.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar

from ingest import aws
from ingest.aws.listings import ListedItem, Lister, batch_of
from ingest.aws.price_feed import PriceFeed
from ingest.source import Batch, FetchContext

IN_USE = ("AvailableInstanceCount", "CapacityAllocations")
SOLD_AS_BLOCKS = (
    "p4d.", "p4de.", "p5.", "p5e.", "p5en.", "p6-b200.", "p6-b300.",
    "trn1.32xlarge", "trn2.3xlarge", "trn2.48xlarge",
)  # fmt: skip
"""Instance types that AWS sells as Capacity Blocks; EC2 refuses any other."""
ONE_DAY = {"InstanceCount": 1, "CapacityDurationHours": 24}


class Capacity(PriceFeed):
    """The feed of EC2 reservations, Capacity Blocks, offers and zones of one account and region."""

    kind: ClassVar[str] = "capacity"
    format: ClassVar[str] = "capacity"
    regional: ClassVar[bool] = True

    @property
    def location(self) -> str:
        """The feed's location in words: EC2 capacity, its region, and the role that reads it."""
        return f"EC2 capacity in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields deliveries of EC2 reservations, Capacity Blocks, zones and block offers."""
        client = aws.client("ec2", self.options)
        lister = Lister(client, aws.account(self.options), client.meta.region_name)
        unit = f"{lister.account}-{lister.region}"
        for what, answer in (("reservations", _reservations), ("blocks", _capacity_blocks)):
            if items := answer(lister):
                yield batch_of(f"{unit} {what}", items, lister, self.settings.today)
        machines = self.machines(lister.region)
        types = [machine.instance_type for machine in machines if not machine.hosted]
        zones = _zones(lister, types) if types else []
        if zones:
            yield batch_of(f"{unit} zones", zones, lister, self.settings.today)
        here = sorted({json.loads(zone.text)["InstanceType"] for zone in zones})
        sold = [kind for kind in here if kind.startswith(SOLD_AS_BLOCKS)]
        if offers := [offer for kind in sold for offer in _block_offers(lister, kind)]:
            yield batch_of(f"{unit} offers", offers, lister, self.settings.today)


def _reservations(lister: Lister) -> list[ListedItem]:
    """Lists the EC2 Capacity Reservations; the number of instances in use is no change."""
    return lister.list_items("DescribeCapacityReservations", "CapacityReservations", IN_USE)


def _capacity_blocks(lister: Lister) -> list[ListedItem]:
    """Lists the Capacity Blocks bought, and their extensions, which have fees of their own."""
    bought = lister.list_items("DescribeCapacityBlocks", "CapacityBlocks")
    if not bought:
        return []
    longer = lister.list_items("DescribeCapacityBlockExtensionHistory", "CapacityBlockExtensions")
    return bought + longer


def _zones(lister: Lister, types: list[str]) -> list[ListedItem]:
    """Lists each availability zone with each of the given instance types that it offers."""
    return lister.list_items(
        "DescribeInstanceTypeOfferings",
        "InstanceTypeOfferings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": types}],
    )


def _block_offers(lister: Lister, instance_type: str) -> list[ListedItem]:
    """Lists the one-day, one-instance Capacity Blocks on offer of a type, or one empty item.

    Where none is on offer, an item with the type alone says so: else the last offers would stand.
    """
    operation = "DescribeCapacityBlockOfferings"
    found = lister.list_items(
        operation,
        "CapacityBlockOfferings",
        ("CapacityBlockOfferingId",),
        InstanceType=instance_type,
        **ONE_DAY,
    )
    return found or [lister.nothing(operation, InstanceType=instance_type)]

"""Reserved capacity of one account and region, and what could be reserved, free of charge.

Key: account and region with what is lister, and `all`; appended, new only when something changed:
how many instances of a reservation are in use is no news. Reservations and Capacity Blocks with
their hours (the bill names none, METHOD §2.7), the blocks on offer for one instance and one day,
and which accelerators the region's zones have. Offers and zones are lister for the types on the
bill, offers only where AWS sells blocks of a type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ingest import aws
from ingest.aws.instance_types import InstanceTypeOptions, machines_to_ask_about
from ingest.aws.listings import ListedItem, Lister, batch_of
from ingest.source import Batch, FetchContext, Group, Options
from models.config.settings import Settings

IN_USE = ("AvailableInstanceCount", "CapacityAllocations")
SOLD_AS_BLOCKS = (
    "p4d.", "p4de.", "p5.", "p5e.", "p5en.", "p6-b200.", "p6-b300.",
    "trn1.32xlarge", "trn2.3xlarge", "trn2.48xlarge",
)  # fmt: skip
"""AWS.md §5.1; any other type is refused by EC2."""
ONE_DAY = {"InstanceCount": 1, "CapacityDurationHours": 24}


@dataclass(frozen=True)
class Capacity:
    """One account and region."""

    kind: ClassVar[str] = "capacity"
    group: ClassVar[Group] = "prices"
    format: ClassVar[str] = "capacity"
    accepts: ClassVar[type[Options]] = InstanceTypeOptions
    append: ClassVar[bool] = True
    regional: ClassVar[bool] = True

    name: str
    options: InstanceTypeOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The service, its region, and the role that is assumed to read it."""
        return f"EC2 capacity in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """What is reserved first, for money stands on it; a batch per question with an answer."""
        client = aws.client("ec2", self.options)
        lister = Lister(client, aws.account(self.options), client.meta.region_name)
        unit = f"{lister.account}-{lister.region}"
        for what, answer in (("reservations", _reserved), ("blocks", _blocks)):
            if items := answer(lister):
                yield batch_of(f"{unit} {what}", items, lister, self.settings.today)
        wanted = machines_to_ask_about(self.name, self.options, self.settings, lister.region)
        types = [machine.instance_type for machine in wanted if not machine.hosted]
        zones = _zones(lister, types) if types else []
        if zones:
            yield batch_of(f"{unit} zones", zones, lister, self.settings.today)
        here = sorted({json.loads(zone.text)["InstanceType"] for zone in zones})
        sold = [kind for kind in here if kind.startswith(SOLD_AS_BLOCKS)]
        if offers := [offer for kind in sold for offer in _offers(lister, kind)]:
            yield batch_of(f"{unit} offers", offers, lister, self.settings.today)


def _reserved(lister: Lister) -> list[ListedItem]:
    return lister.list_items("DescribeCapacityReservations", "CapacityReservations", IN_USE)


def _blocks(lister: Lister) -> list[ListedItem]:
    """What was bought, and what it was extended by: an extension has a fee of its own."""
    bought = lister.list_items("DescribeCapacityBlocks", "CapacityBlocks")
    if not bought:
        return []
    longer = lister.list_items("DescribeCapacityBlockExtensionHistory", "CapacityBlockExtensions")
    return bought + longer


def _zones(lister: Lister, types: list[str]) -> list[ListedItem]:
    return lister.list_items(
        "DescribeInstanceTypeOfferings",
        "InstanceTypeOfferings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": types}],
    )


def _offers(lister: Lister, instance_type: str) -> list[ListedItem]:
    return lister.list_items(
        "DescribeCapacityBlockOfferings",
        "CapacityBlockOfferings",
        ("CapacityBlockOfferingId",),
        InstanceType=instance_type,
        **ONE_DAY,
    )

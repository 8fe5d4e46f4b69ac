"""EC2: `spot`, `reservations`, `capacity_blocks`, `extensions`, `offers`, `zones`, in EC2's words.

Each has a `Region` beside them, which is not answered; the region is the request's. `ec2_page`
sizes the pages. Blocks of a type that is `NOT_SOLD` are refused, as EC2 does.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal

NOT_SOLD = ("g5.", "g6.", "g6e.", "p6e-")


def describe_spot_price_history(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    """Every change since the start, and of each series the last one before it; newest first."""
    start = asked["StartTime"]
    changes = [
        change
        for change in _here(world, "spot")
        if change["InstanceType"] in asked["InstanceTypes"]
        and change["ProductDescription"] in asked["ProductDescriptions"]
    ]
    before: dict[tuple[str, str], dict[str, Any]] = {}
    for change in sorted(changes, key=_instant):
        if _instant(change) < start:
            before[change["InstanceType"], change["AvailabilityZone"]] = change
    shown = [*before.values(), *(change for change in changes if _instant(change) >= start)]
    shown.sort(key=_instant, reverse=True)
    return _paged(shown, "SpotPriceHistory", asked, world)


def describe_capacity_reservations(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    return _paged(_here(world, "reservations"), "CapacityReservations", asked, world)


def describe_capacity_blocks(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    return _paged(_here(world, "capacity_blocks"), "CapacityBlocks", asked, world)


def describe_capacity_block_extension_history(
    asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    return _paged(_here(world, "extensions"), "CapacityBlockExtensions", asked, world)


def describe_capacity_block_offerings(
    asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    if asked["InstanceType"].startswith(NOT_SOLD):
        raise Refusal("InvalidParameterValue", "not available as a Capacity Block")
    same = {
        "InstanceType": asked["InstanceType"],
        "InstanceCount": asked["InstanceCount"],
        "CapacityBlockDurationHours": asked["CapacityDurationHours"],
    }
    found = [offer for offer in _here(world, "offers") if offer.items() >= same.items()]
    return _paged(found, "CapacityBlockOfferings", asked, world)


def describe_instance_type_offerings(
    asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    (types,) = (one["Values"] for one in asked["Filters"] if one["Name"] == "instance-type")
    found = [
        {**zone, "LocationType": asked["LocationType"]}
        for zone in _here(world, "zones")
        if zone["InstanceType"] in types
    ]
    return _paged(found, "InstanceTypeOfferings", asked, world)


def tried(asked: dict[str, Any]) -> None:
    """A dry run ends here, where the caller may do it."""
    if asked.get("DryRun"):
        raise Refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")


def _here(world: dict[str, Any], what: str) -> list[dict[str, Any]]:
    own = [item for item in world.get(what, []) if item.get("Region") in (None, world["region"])]
    return [{name: value for name, value in item.items() if name != "Region"} for item in own]


def _paged(
    items: list[Any], member: str, asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    size = world.get("ec2_page", 1000)
    shown, token = page(items, asked, size, "NextToken", "InvalidNextToken")
    return {member: shown, **token}


def _instant(change: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(change["Timestamp"].replace("Z", "+00:00")).astimezone(UTC)

"""EC2's answers about capacity: what each kind of item says, and what cannot be."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from models.formats.market import capacity
from tests.support.bills.format_lines import ANSWER, SAID, SEEN, answered, refused, rows
from tests.support.ingest.price_answers import P5, offer, reservation, zone

ABOUT = {"account": "1", "region": "us-east-1", "observed_on": SEEN, "said_at": SAID}
BLOCK = reservation("cr-1", P5, 2, "2026-03-01", "2026-03-02")
SUPPORT = "run again; then ask AWS support"


def read(operation: str, item: dict[str, Any]) -> dict[str, Any]:
    """What one item says: the columns that are known."""
    (row,) = rows(capacity, answered(operation, item), ANSWER)
    return {name: value for name, value in row.items() if value is not None}


def refusals(item: dict[str, Any], operation: str = "DescribeCapacityReservations") -> list[str]:
    return refused(capacity, answered(operation, item), ANSWER)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_an_offer_has_the_fee_of_all_its_instances_and_hours() -> None:
    assert read("DescribeCapacityBlockOfferings", offer(P5, "1000.80", InstanceCount=4)) == {
        **ABOUT,
        "kind": "offer",
        "zone": "us-east-1a",
        "instance_type": P5,
        "offering": "cbo-1",
        "tenancy": "default",
        "instances": 4,
        "hours": 24,
        "start": utc("2026-11-02T11:30"),
        "end": utc("2026-11-03T11:30"),
        "fee": Decimal("1000.8"),
    }


def test_a_purchased_block_names_its_reservations_and_has_no_fee() -> None:
    item = {
        "CapacityBlockId": "cb-1",
        "CapacityReservationIds": ["cr-1", "cr-2"],
        "State": "active",
        "CreateDate": "2026-02-20T09:00:00+09:00",
    }
    found = read("DescribeCapacityBlocks", item)
    assert found.pop("reservations").replace(" ", "") == '["cr-1","cr-2"]'
    assert found == {
        **ABOUT,
        "kind": "block",
        "block": "cb-1",
        "state": "active",
        "created": utc("2026-02-20T00:00"),
    }


def test_an_extension_has_its_own_hours_times_status_and_fee() -> None:
    item = {
        "CapacityReservationId": "cr-1",
        "InstanceType": P5,
        "CapacityBlockExtensionDurationHours": 48,
        "CapacityBlockExtensionStatus": "payment-pending",
        "CapacityBlockExtensionPurchaseDate": "2026-03-01T20:00:00Z",
        "CapacityBlockExtensionStartDate": "2026-03-02T11:30:00Z",
        "CapacityBlockExtensionEndDate": "2026-03-04T11:30:00Z",
        "UpfrontFee": "600.00",
        "CurrencyCode": "USD",
    }
    assert read("DescribeCapacityBlockExtensionHistory", item) == {
        **ABOUT,
        "kind": "extension",
        "instance_type": P5,
        "reservation": "cr-1",
        "state": "payment-pending",
        "created": utc("2026-03-01T20:00"),
        "start": utc("2026-03-02T11:30"),
        "end": utc("2026-03-04T11:30"),
        "hours": 48,
        "fee": Decimal(600),
    }


def test_a_zone_that_has_a_type_is_the_location_of_the_answer() -> None:
    assert read("DescribeInstanceTypeOfferings", zone(P5, "us-east-1c")) == {
        **ABOUT,
        "kind": "zone",
        "instance_type": P5,
        "zone": "us-east-1c",
    }


def test_a_reservation_without_an_end_has_none() -> None:
    item = {**BLOCK, "EndDateType": "unlimited", "ReservationType": "default"}
    del item["EndDate"]
    found = read("DescribeCapacityReservations", item)
    assert "end" not in found
    assert (found["end_type"], found["instances"], found["available"]) == ("unlimited", 2, 2)


def test_an_offer_for_nothing_costs_nothing_and_one_without_a_fee_is_unknown() -> None:
    assert read("DescribeCapacityBlockOfferings", offer(P5, "0"))["fee"] == 0
    assert "fee" not in read("DescribeCapacityBlockOfferings", offer(P5, ""))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"UpfrontFee": "-0.01"}, f"UpfrontFee is below 0: -0.01 ({SUPPORT})"),
        ({"UpfrontFee": "much"}, "UpfrontFee cannot be read: much (update breakeven)"),
        ({"InstanceCount": -1}, f"InstanceCount is below 0: -1 ({SUPPORT})"),
        (
            {"CapacityBlockDurationHours": "a day"},
            "CapacityBlockDurationHours cannot be read: a day (update breakeven)",
        ),
        ({"StartDate": "soon"}, "StartDate cannot be read: soon (update breakeven)"),
        ({"CurrencyCode": "EUR"}, "Currency is not USD: EUR (one currency per warehouse)"),
        # of several faults the first is told: without dollars the fee says nothing
        (
            {"CurrencyCode": "EUR", "UpfrontFee": "-1"},
            "Currency is not USD: EUR (one currency per warehouse)",
        ),
        ({}, None),
    ],
)
def test_an_impossible_offer_is_refused(fields: dict[str, Any], said: str | None) -> None:
    found = refusals(offer(P5, "10", **fields), "DescribeCapacityBlockOfferings")
    assert found == ([said] if said else [])


@pytest.mark.parametrize(
    ("state", "stands"),
    [("active", True), ("scheduled", True), ("expired", False), ("payment-pending", False)],
)
def test_only_a_standing_reservation_must_have_an_instance(state: str, stands: bool) -> None:
    said = f"TotalInstanceCount of a reservation in force is 0: cr-1 ({SUPPORT})"
    found = refusals({**BLOCK, "TotalInstanceCount": 0, "State": state})
    assert found == ([said] if stands else [])

"""Builds a simulated AWS's answers on Spot prices, Savings Plans, Capacity Blocks and zones."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from generator.commitment import PLAN, RATE
from generator.prices import list_price
from generator.timeline import DAY
from generator.training import spot_price
from generator.workloads import A100_40, A100_80, PLATFORM, TRN

from story import blocks
from story.workloads import H100, TRN2

EAST = "us-east-1"
SPOT_FROM = date(2026, 5, 18)
SPOT = {A100_40: (8.2, 11.9), A100_80: (11.5, 15.2), H100: (21.0, 29.5), "g5.12xlarge": (2.2, 2.9)}
"""Simulated, as those of trn1 that the bill has: dollars an hour, from and to."""
THREE_YEARS = Decimal("0.49")
"""Simulated: what a plan of three years charges of the list price."""
TYPES = (TRN, A100_40, A100_80, H100, "g5.12xlarge")
ZONES = {
    TRN: ("us-east-1a", "us-east-1f", "us-west-2d"),
    A100_40: ("us-east-1a", "us-east-1b", "us-east-1d", "us-west-2b"),
    A100_80: ("us-east-1c", "us-east-1d"),
    H100: ("us-east-1a", "us-east-1b", "us-east-2c"),
    "g5.12xlarge": ("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-west-2a"),
    TRN2: ("us-east-2a",),
}
OFFERED = {
    TRN: (("us-east-1a", "9.532"), ("us-east-1f", "10.010")),
    A100_40: (("us-east-1b", "11.800"),),
    A100_80: (("us-east-1d", "17.712"),),
    H100: (("us-east-1a", "41.528"), ("us-east-2c", "37.760")),
    TRN2: (("us-east-2a", "35.7608"),),
}
"""Zone and dollars an hour of a block of one machine for one day; of the shipped prices."""


def world(until: datetime) -> dict[str, Any]:
    """Returns a dict of the simulated AWS's data on a day, by subject: account, spot, offers, …."""
    today = f"{until:%Y-%m-%d}"
    return {
        "account": PLATFORM,
        "spot": _spot(until),
        "reservations": blocks.reservations(today),
        "capacity_blocks": blocks.purchases(today),
        "offers": _offers(until),
        "zones": [
            {"InstanceType": kind, "Location": zone, "Region": zone[:-1]}
            for kind, zones in ZONES.items()
            for zone in zones
        ],
        "savings_plans": [_plan()],
        "plan_rates": [
            _rate(kind, years, share)
            for kind in TYPES
            for years, share in ((1, RATE), (3, THREE_YEARS))
        ],
    }


def _spot(until: datetime) -> list[dict[str, Any]]:
    """Lists weekly Spot prices in two zones; trn1's in the first are what the bill charges."""
    found, day = [], SPOT_FROM
    while day <= until.date():
        found.append(_change(TRN, "us-east-1a", f"{spot_price(day)}", day))
        for kind, (least, most) in SPOT.items():
            for zone in ("us-east-1a", "us-east-1b"):
                price = Random(f"spot {kind} {zone} {day}").uniform(least, most)
                found.append(_change(kind, zone, f"{price:.4f}", day))
        day += 7 * DAY
    return found


def _change(kind: str, zone: str, dollars: str, day: date) -> dict[str, Any]:
    return {
        "InstanceType": kind,
        "AvailabilityZone": zone,
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": dollars,
        "Timestamp": f"{day}T00:00:00Z",
        "Region": zone[:-1],
    }


def _offers(until: datetime) -> list[dict[str, Any]]:
    start = until.replace(hour=11, minute=30) + timedelta(days=3)
    return [
        {
            "CapacityBlockOfferingId": f"cbo-{kind}-{zone}",
            "InstanceType": kind,
            "AvailabilityZone": zone,
            "InstanceCount": 1,
            "CapacityBlockDurationHours": 24,
            "StartDate": f"{start:%Y-%m-%dT%H:%M}:00Z",
            "EndDate": f"{start + DAY:%Y-%m-%dT%H:%M}:00Z",
            "UpfrontFee": f"{Decimal(dollars) * 24:.2f}",
            "CurrencyCode": "USD",
            "Tenancy": "default",
            "Region": zone[:-1],
        }
        for kind, offers in OFFERED.items()
        for zone, dollars in offers
    ]


def _plan() -> dict[str, Any]:
    return {
        "savingsPlanId": PLAN.rpartition("/")[2],
        "savingsPlanArn": PLAN,
        "state": "active",
        "savingsPlanType": "Compute",
        "paymentOption": "No Upfront",
        "currency": "USD",
        "commitment": "5.00000000",
        "termDurationInSeconds": 31_536_000,
        "productTypes": ["EC2", "Fargate", "Lambda"],
    }


def _rate(kind: str, years: int, share: Decimal) -> dict[str, Any]:
    price = list_price(kind, EAST, date(2026, 8, 1)) or Decimal(0)
    about = {
        "region": EAST,
        "instanceType": kind,
        "productDescription": "Linux/UNIX",
        "tenancy": "shared",
    }
    return {
        "savingsPlanOffering": {
            "offeringId": f"offering-{years}",
            "paymentOption": "No Upfront",
            "planType": "Compute",
            "durationSeconds": years * 31_536_000,
            "currency": "USD",
        },
        "rate": f"{price * share:.4f}",
        "unit": "Hrs",
        "productType": "EC2",
        "serviceCode": "AmazonEC2",
        "usageType": f"BoxUsage:{kind}",
        "operation": "RunInstances",
        "properties": [{"name": name, "value": value} for name, value in about.items()],
    }

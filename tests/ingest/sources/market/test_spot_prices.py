"""Spot prices: a step function per zone, asked for once, told as a region's days."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import EAST, P5, TRN1, change, told

SOURCE = {"kind": "spot_prices", "instance_types": [P5, "trn2u.48xlarge"], "region": EAST}
HISTORY = [
    change(P5, "us-east-1a", "20.000000", "2026-06-01T00:00:00Z"),  # the last before 90 days
    change(P5, "us-east-1b", "30.000000", "2026-09-01T06:00:00Z"),
    change(P5, "us-east-1a", "40.000000", "2026-09-10T06:00:00Z"),
    change(P5, "us-east-1b", "35.000000", "2026-10-05T01:00:00Z"),
    change(P5, "us-east-1b", "10.000000", "2026-10-20T06:00:00Z"),
    change(P5, "us-east-1b", "50.000000", "2026-10-20T18:00:00Z"),
]


def pinned(configured: Configured, as_of: str = "2026-10-31") -> Settings:
    settings: Settings = configured(SOURCE, as_of=as_of)
    return settings


def pulled(settings: Settings) -> tuple[int, int]:
    report = pull(settings, ["spot_prices"])
    report.raise_failures()
    return report.results[0].new, report.results[0].unchanged


def test_a_regions_price_is_its_cheapest_zones_when_the_day_ends(
    configured: Configured, aws: Fake
) -> None:
    windows = change(P5, "us-east-1a", "1.0", "2026-10-02T00:00:00Z")
    aws.shows(spot=[*HISTORY, {**windows, "ProductDescription": "Windows"}], ec2_page=2)
    settings = pinned(configured)
    assert pulled(settings) == (3, 0)
    steps = told(settings, "spot_prices")
    assert [(row["effective_from"], row["usd_per_hour"]) for row in steps] == [
        (date(2026, 6, 1), 20),
        (date(2026, 9, 1), 20),
        (date(2026, 9, 10), 30),
        (date(2026, 10, 5), 35),
        (date(2026, 10, 20), 40),
    ]
    assert {(row["purchase_option"], row["observed_on"]) for row in steps} == {
        ("spot", date(2026, 10, 31))
    }
    (asked, *_) = aws.asked("DescribeSpotPriceHistory")
    assert asked["InstanceTypes"] == [P5]
    assert datetime.fromtimestamp(asked["StartTime"], UTC) == datetime(2026, 8, 2, tzinfo=UTC)


def test_only_what_is_new_is_asked_for_and_delivered(configured: Configured, aws: Fake) -> None:
    settings = pinned(configured)
    aws.shows(spot=HISTORY)
    assert pulled(settings) == (3, 0)
    aws.forget()
    assert pulled(settings) == (0, 0)
    (asked,) = aws.asked("DescribeSpotPriceHistory")
    assert (
        datetime.fromtimestamp(asked["StartTime"], UTC).isoformat() == "2026-10-20T18:00:00+00:00"
    )
    aws.shows(spot=[*HISTORY, change(P5, "us-east-1a", "5.000000", "2026-10-30T00:00:00Z")])
    assert pulled(settings) == (1, 0)
    live = RawZone(settings.data / "raw").live("spot_prices")
    assert [(d.key.unit, d.key.period, d.rows) for d in live] == [
        ("999900000001-us-east-1", "2026-06", 1),
        ("999900000001-us-east-1", "2026-09", 2),
        ("999900000001-us-east-1", "2026-10", 4),
    ]
    prices = {row["effective_from"]: row["usd_per_hour"] for row in told(settings, "spot_prices")}
    assert prices[date(2026, 10, 30)] == 5


def test_a_price_that_still_holds_is_confirmed_and_a_passed_one_is_not(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(spot=HISTORY)
    pulled(pinned(configured))
    later = pinned(configured, "2026-12-01")
    assert pulled(later) == (2, 0)
    seen = {row["effective_from"]: row["observed_on"] for row in told(later, "spot_prices")}
    assert seen[date(2026, 6, 1)] == seen[date(2026, 9, 1)] == date(2026, 10, 31)
    assert seen[date(2026, 10, 20)] == date(2026, 12, 1)


def test_a_type_that_is_new_is_asked_for_from_the_beginning(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(spot=[*HISTORY, change(TRN1, "us-east-1a", "7.5", "2026-09-02T00:00:00Z")])
    pulled(pinned(configured))
    aws.forget()
    both = configured({**SOURCE, "instance_types": [P5, TRN1]}, as_of="2026-10-31")
    assert pulled(both) == (1, 0)
    starts = {
        tuple(asked["InstanceTypes"]): datetime.fromtimestamp(asked["StartTime"], UTC).date()
        for asked in aws.asked("DescribeSpotPriceHistory")
    }
    assert starts == {(TRN1,): date(2026, 8, 2), (P5,): date(2026, 10, 20)}
    trn1 = [row for row in told(both, "spot_prices") if row["instance_type"] == TRN1]
    assert [row["usd_per_hour"] for row in trn1] == [Decimal("7.5")]


@pytest.mark.parametrize(
    ("spot", "errors", "said"),
    [
        (
            [change(P5, "us-east-1a", "dear", "2026-10-01T00:00:00Z")],
            [],
            "999900000001-us-east-1 2026-10: SpotPrice cannot be read: dear",
        ),
        (
            [change(P5, "us-east-1a", "-5", "2026-10-01T00:00:00Z")],
            [],
            "999900000001-us-east-1 2026-10: SpotPrice is below 0: -5",
        ),
        (
            HISTORY,
            [{"operation": "DescribeSpotPriceHistory", "code": "UnauthorizedOperation", "on": [1]}],
            "ec2:DescribeSpotPriceHistory was refused: UnauthorizedOperation: injected (grant this",
        ),
        (
            HISTORY,
            [{"operation": "DescribeSpotPriceHistory", "code": "InternalFailure", "on": [1]}],
            "InternalFailure: injected (an error inside AWS: run again later)",
        ),
    ],
)
def test_what_goes_wrong_is_one_line_and_leaves_nothing(
    configured: Configured, aws: Fake, spot: object, errors: object, said: str
) -> None:
    aws.shows(spot=spot, errors=errors)
    settings = pinned(configured)
    with pytest.raises(BreakevenError) as caught:
        pulled(settings)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not RawZone(settings.data / "raw").live("spot_prices")

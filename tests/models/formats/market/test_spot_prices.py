"""Spot prices as daily steps: the lowest zone of a region when a day ends."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.formats.market import spot_prices
from tests.support.bills.format_lines import ANSWER, SEEN, Lines, answered, refused, rows
from tests.support.ingest.price_answers import P5, TRN1, change

Change = tuple[str, str, str]
"""Zone, time, dollars."""
DAY = date(2026, 9, 3)


def steps(*changes: Change, kind: str = P5, region: str = "us-east-1") -> list[tuple[date, str]]:
    items = [change(kind, f"{region}{zone}", dollars, at) for zone, at, dollars in changes]
    lines = answered("DescribeSpotPriceHistory", *items, region=region)
    found = rows(spot_prices, lines, ANSWER)
    return sorted((row["effective_from"], f"{row['usd_per_hour'].normalize():f}") for row in found)


def test_a_fall_to_a_price_above_the_other_zones_leaves_the_lowest() -> None:
    """Zone a falls from $9 to $8 on the 3rd while zone b stays at $7."""
    assert steps(
        ("a", "2026-09-01T00:00:00Z", "9"),
        ("b", "2026-09-02T00:00:00Z", "7"),
        ("a", "2026-09-03T10:00:00Z", "8"),
    ) == [(date(2026, 9, 1), "9"), (date(2026, 9, 2), "7"), (DAY, "7")]


def test_the_lowest_zone_that_rises_lets_the_other_be_the_price() -> None:
    assert steps(
        ("a", "2026-09-01T00:00:00Z", "5"),
        ("b", "2026-09-01T00:00:00Z", "6"),
        ("a", "2026-09-03T00:00:00Z", "7"),
    ) == [(date(2026, 9, 1), "5"), (DAY, "6")]


def test_a_price_of_an_hour_that_did_not_last_the_day_is_no_step() -> None:
    assert steps(
        ("a", "2026-09-03T01:00:00Z", "1"),
        ("a", "2026-09-03T23:59:59Z", "4"),
        ("a", "2026-09-03T12:00:00Z", "2"),
    ) == [(DAY, "4")]


def test_of_two_prices_in_one_second_the_lower_counts() -> None:
    at = "2026-09-03T08:00:00Z"
    assert steps(("a", at, "6"), ("a", at, "5")) == [(DAY, "5")]


def test_a_time_in_another_zone_is_a_utc_day() -> None:
    assert steps(("a", "2026-09-04T01:30:00+02:00", "5")) == [(DAY, "5")]


def test_a_price_of_zero_is_unknown_and_the_older_one_holds_on() -> None:
    assert steps(("a", "2026-09-03T00:00:00Z", "5"), ("a", "2026-09-05T00:00:00Z", "0")) == [
        (DAY, "5")
    ]


def test_types_and_regions_have_steps_of_their_own() -> None:
    at = "2026-09-03T00:00:00Z"
    east = [change(P5, "us-east-1a", "9", at), change(TRN1, "us-east-1a", "3", at)]
    west = [change(P5, "us-west-2a", "4", at)]
    lines = answered("DescribeSpotPriceHistory", *east)
    lines += answered("DescribeSpotPriceHistory", *west, region="us-west-2")
    assert rows(spot_prices, lines, ANSWER) == [
        {
            "instance_type": kind,
            "region": region,
            "purchase_option": "spot",
            "usd_per_hour": Decimal(dollars),
            "effective_from": DAY,
            "observed_on": SEEN,
            "plan": None,
        }
        for kind, region, dollars in (
            (P5, "us-east-1", 9),
            (P5, "us-west-2", 4),
            (TRN1, "us-east-1", 3),
        )
    ]


def test_a_zone_of_two_names_is_one_and_two_zones_of_one_name_are_two() -> None:
    """Account 1 calls az1 a; account 2 calls az2 a, which costs $9, and az1 b.

    An earlier line of account 1 lacks the id: its zone is the one of that name there.
    """
    found = [
        *told("1", "a", "2026-09-01T00:00:00Z", "8"),
        *told("1", "a", "2026-09-02T00:00:00Z", "7", "az1"),
        *told("2", "a", "2026-09-03T00:00:00Z", "9", "az2"),
        *told("2", "b", "2026-09-05T00:00:00Z", "10", "az1"),
    ]
    prices = {row["effective_from"].day: row["usd_per_hour"] for row in of_lines(found)}
    assert prices == {1: 8, 2: 7, 3: 7, 5: 9}


def told(account: str, name: str, at: str, dollars: str, of: str = "") -> Lines:
    item = change(P5, f"us-east-1{name}", dollars, at)
    item |= {"AvailabilityZoneId": f"use1-{of}"} if of else {}
    return answered("DescribeSpotPriceHistory", item, account=account)


def of_lines(lines: Lines) -> Lines:
    return rows(spot_prices, lines, ANSWER)


@pytest.mark.parametrize(
    ("description", "counts"),
    [("Linux/UNIX (Amazon VPC)", True), ("Red Hat Enterprise Linux", False), ("SUSE Linux", False)],
)
def test_only_plain_linux_counts(description: str, counts: bool) -> None:
    item = change(P5, "us-east-1a", "5", "2026-09-03T00:00:00Z")
    item["ProductDescription"] = description
    found = rows(spot_prices, answered("DescribeSpotPriceHistory", item), ANSWER)
    assert len(found) == counts


def test_a_time_that_cannot_be_read_is_refused() -> None:
    lines = answered(
        "DescribeSpotPriceHistory",
        change(P5, "us-east-1a", "5", "soon"),
        change(P5, "us-east-1a", "5", "2026-09-03T00:00:00Z"),
    )
    said = "Timestamp cannot be read: soon (update breakeven)"
    assert refused(spot_prices, lines, ANSWER) == [said]


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 6 * 24 - 1), st.integers(1, 20)),
        min_size=1,
        max_size=12,
        unique_by=lambda one: (one[0], one[1]),
    )
)
def test_the_price_of_a_day_is_the_lowest_of_each_zones_newest(
    changes: list[tuple[str, int, int]],
) -> None:
    """Compared with reading each zone's history up to the end of each day."""
    expected = []
    for day in sorted({hour // 24 for _, hour, _ in changes}):
        known = sorted(one for one in changes if one[1] // 24 <= day)
        newest = [list(group)[-1][2] for _, group in groupby(known, lambda one: one[0])]
        expected.append((date(2026, 9, 1 + day), f"{min(newest)}"))
    written = [
        (zone, f"2026-09-{1 + hour // 24:02}T{hour % 24:02}:00:00Z", str(dollars))
        for zone, hour, dollars in changes
    ]
    assert steps(*written) == expected

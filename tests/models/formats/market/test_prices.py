"""Public price lists: one line is one observation, in dollars per instance-hour (METHOD §2.5)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from models.formats.market import prices
from tests.support.bills.format_lines import Lines, refused, rows

TYPES = dict.fromkeys((*prices.REQUIRED, "observed_on", "plan"), "string")
GOOD = {
    "instance_type": "p5.48xlarge",
    "region": "us-east-1",
    "purchase_option": "on_demand",
    "usd_per_hour": "55.04",
    "effective_from": "2026-09-01",
    "observed_on": "2026-10-05",
    "plan": None,
}


def line(**other: str | None) -> Lines:
    return [{**GOOD, **other}]


def test_a_line_becomes_a_row_that_says_since_when_and_when_it_was_seen() -> None:
    assert rows(prices, line(), TYPES) == [
        {
            "instance_type": "p5.48xlarge",
            "region": "us-east-1",
            "purchase_option": "on_demand",
            "usd_per_hour": Decimal("55.040000000"),
            "effective_from": date(2026, 9, 1),
            "observed_on": date(2026, 10, 5),
            "plan": None,
        }
    ]


@pytest.mark.parametrize("blank", ["", "NULL", None])
def test_without_a_day_of_observation_the_price_was_seen_when_it_took_effect(
    blank: str | None,
) -> None:
    (row,) = rows(prices, line(observed_on=blank), TYPES)
    assert row["observed_on"] == row["effective_from"] == date(2026, 9, 1)


def test_a_list_without_the_optional_columns_reads_the_same() -> None:
    required = dict.fromkeys(prices.REQUIRED, "string")
    (row,) = rows(prices, [{name: GOOD[name] for name in required}], required)
    assert (row["observed_on"], row["plan"]) == (date(2026, 9, 1), None)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("On-Demand", "on_demand"),
        ("SPOT", "spot"),
        ("capacity-block", "capacity_block"),
    ],
)
def test_a_purchase_option_may_be_written_in_capitals_and_with_a_hyphen(
    written: str, read: str
) -> None:
    given = line(purchase_option=written)
    assert refused(prices, given, TYPES) == []
    assert [row["purchase_option"] for row in rows(prices, given, TYPES)] == [read]


def test_a_price_keeps_all_nine_places() -> None:
    (row,) = rows(prices, line(usd_per_hour="0.000000001"), TYPES)
    assert row["usd_per_hour"] == Decimal("0.000000001")


def test_a_price_delivered_as_a_number_is_read_like_text() -> None:
    types = {**TYPES, "usd_per_hour": "float64"}
    given = [{**GOOD, "usd_per_hour": 55.04}]
    assert [row["usd_per_hour"] for row in rows(prices, given, types)] == [Decimal("55.04")]
    free = [{**GOOD, "usd_per_hour": 0.0}]
    assert len(refused(prices, free, types)) == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"usd_per_hour": "-1"},
            "usd_per_hour is not a price: -1.000000000 (leave an unknown price out, it is never 0)",
        ),
        (
            {"usd_per_hour": "$55.04"},
            "usd_per_hour cannot be read: $55.04 (write plain dollars per hour)",
        ),
        (
            {"effective_from": "09/2026"},
            "effective_from cannot be read: 09/2026 (write it as 2026-09-01)",
        ),
        (
            {"observed_on": "yesterday"},
            "observed_on cannot be read: yesterday (write it as 2026-09-01)",
        ),
        (
            {"observed_on": "2062-09-01"},
            "observed_on is in the future: 2062-09-01 (write the day you saw the price)",
        ),
        (
            {"purchase_option": "reserved"},
            "purchase_option is not known: reserved "
            "(one of on_demand, spot, capacity_block, committed)",
        ),
        (
            {"region": "NULL"},
            "region is missing on a line: p5.48xlarge (deliver it again, whole)",
        ),
        (
            {"instance_type": ""},
            "instance_type is missing on a line: us-east-1 (deliver it again, whole)",
        ),
        (
            {"usd_per_hour": None},
            "usd_per_hour is missing on a line: p5.48xlarge (deliver it again, whole)",
        ),
    ],
)
def test_a_line_that_cannot_be_is_refused_with_the_remedy(
    wrong: dict[str, str | None], said: str
) -> None:
    assert refused(prices, line() + line(**wrong), TYPES) == [said]


@pytest.mark.parametrize(("day", "kind"), [(20261101, "int64"), (float("nan"), "float64")])
def test_a_day_of_parquet_that_is_none_is_refused(day: float, kind: str) -> None:
    lines = [{**GOOD, "effective_from": day}]
    (said,) = refused(prices, lines, TYPES | {"effective_from": kind})
    assert said == f"effective_from cannot be read: {day} (write it as 2026-09-01)"


@pytest.mark.parametrize(
    ("plan", "fine"),
    [
        ("Compute, 3 yr, No Upfront", True),
        ("Ours, 1 yr", True),
        ("Compute, three yr, No Upfront", False),
        ("Compute, 3 years, No Upfront", False),
        ("3 yr", False),
        ("NULL", False),
    ],
)
def test_only_a_committed_rate_must_name_a_term_of_whole_years(plan: str, fine: bool) -> None:
    said = (
        "a committed rate without a plan that says its term: p5.48xlarge "
        "(name it in the column plan: Compute, 3 yr, No Upfront)"
    )
    committed = line(purchase_option="committed", plan=plan)
    assert refused(prices, committed, TYPES) == ([] if fine else [said])
    assert refused(prices, line(plan=plan), TYPES) == []

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from dashboard.wording import format

D = Decimal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (D("214300"), "$214,300"),
        (D("0.5"), "$0.50"),
        (D("99.995"), "$100.00"),
        (D("-1234.5"), "−$1,235"),
        (D("1234.5"), "$1,235"),
        (D("0"), "$0"),
        (D("-0.001"), "$0.00"),
        (None, "–"),
    ],
)
def test_dollars_are_whole_from_a_hundred_on_and_rounded_half_up(
    value: Decimal | None, text: str
) -> None:
    assert format.dollars(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (D("1234567.891"), "$1.23M"),
        (D("-2500000000"), "−$2.50B"),
        (D("999999.4"), "$999,999"),
        (D("999999.5"), "$1.00M"),
    ],
)
def test_a_tile_shortens_from_a_million_on(value: Decimal, text: str) -> None:
    assert format.compact(value) == text


def test_a_table_shows_cents_without_a_unit() -> None:
    assert format.cents(D("1234.505")) == "1,234.51"
    assert format.cents(D("-0.004")) == "0.00"
    assert format.cents(None) == "–"


def test_the_unit_of_a_title_never_begins_a_line() -> None:
    assert format.column_title("Gross at old volume, $") == "Gross at old volume,\u00a0$"
    assert format.column_title("$ per epoch") == "$ per epoch"


def test_a_saving_carries_its_sign_and_zero_none() -> None:
    assert [format.saving(D(value)) for value in (5000, -5000, 0)] == ["+$5,000", "−$5,000", "$0"]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (D("0.824"), "82\u00a0%"),
        (D("0.9999"), "99.9\u00a0%"),
        (D("1"), "100\u00a0%"),
        (D("-0.385"), "−39\u00a0%"),
        (None, "–"),
    ],
)
def test_a_percentage_never_claims_the_whole_too_early(ratio: Decimal | None, text: str) -> None:
    assert format.percent(ratio) == text


def test_a_plain_number_keeps_its_digits_and_loses_its_zeros() -> None:
    assert format.plain(D("21.957642000")) == "21.957642"
    assert format.plain(D("210.000000")) == "210"
    assert format.plain(D("1000")) == "1,000"


def test_dates_read_like_12_jan_2027() -> None:
    assert format.day(date(2027, 1, 12)) == "12 Jan 2027"
    assert format.month_name("2026-10") == "Oct 2026"
    assert format.day(None) == "–"


def test_one_is_singular() -> None:
    assert [format.count(size, "run") for size in (0, 1, 2000)] == [
        "0 runs",
        "1 run",
        "2,000 runs",
    ]

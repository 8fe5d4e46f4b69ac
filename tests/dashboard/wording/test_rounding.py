"""Laws of written numbers: rounded half-up once, the sign before all, the same size either way."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.wording import format

D = Decimal
AMOUNTS = st.decimals(min_value=-(10**9), max_value=10**9, places=6)


@given(AMOUNTS, st.integers(0, 4))
def test_a_rounded_value_is_at_most_half_a_unit_away(value: Decimal, places: int) -> None:
    shown = format.rounded(value, places)
    assert abs(shown - value) <= D(1).scaleb(-places) / 2
    assert shown == shown.quantize(D(1).scaleb(-places))


@given(AMOUNTS)
def test_a_loss_is_written_like_the_gain_of_its_size(value: Decimal) -> None:
    for write in (format.dollars, format.compact, format.cents, format.plain, format.number):
        gain, loss = write(abs(value)), write(-abs(value))
        assert loss in (gain, f"−{gain}")
        assert (loss == gain) == (not any(digit in "123456789" for digit in gain))


@given(AMOUNTS)
def test_what_a_table_shows_adds_up_to_the_cent(value: Decimal) -> None:
    text = format.cents(value).replace(",", "").replace("−", "-")
    assert D(text) == format.rounded(value, 2)


@given(AMOUNTS)
def test_a_plain_number_can_be_typed_into_a_calculator(value: Decimal) -> None:
    assert D(format.plain(value).replace(",", "").replace("−", "-")) == value


@given(st.decimals(min_value=0, max_value=D("0.999999"), places=6), st.integers(0, 3))
def test_less_than_all_is_never_written_as_all(ratio: Decimal, places: int) -> None:
    assert not format.percent(ratio, places).startswith("100")


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        ("1.4999", 0, "1"),  # not 1.50 first, and then 2
        ("0.5", 0, "1"),
        ("1.5", 0, "2"),
        ("2.5", 0, "3"),  # half-up; a banker's rounding says 2
        ("-2.5", 0, "-3"),
        ("2.675", 2, "2.68"),
        ("12.345", 2, "12.35"),
    ],
)
def test_halves_go_away_from_zero(value: str, places: int, shown: str) -> None:
    assert format.rounded(D(value), places) == D(shown)


def test_a_float_is_rounded_by_the_digits_that_people_see() -> None:
    """1.005 is stored as 1.00499…; a reader sees a half."""
    assert format.rounded(1.005, 2) == D("1.01")
    assert format.exact(0.1) == D("0.1")


@pytest.mark.parametrize(
    ("value", "text"),
    [("99.994", "$99.99"), ("100", "$100"), ("-99.5", "−$99.50"), ("0.004", "$0.00")],
)
def test_cents_stand_below_a_hundred_dollars_only(value: str, text: str) -> None:
    assert format.dollars(D(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("12.5", "$12.50"),
        ("-412.40", "−$412"),
        ("1234500", "$1.23M"),
        ("1235000", "$1.24M"),
        ("-1005000", "−$1.01M"),
        ("999994999.99", "$999.99M"),
        ("-999996000", "−$1.00B"),
        ("1e15", "$1,000,000.00B"),
    ],
)
def test_a_tile_rounds_millions_from_the_dollar(value: str, text: str) -> None:
    assert format.compact(D(value)) == text


def test_what_nobody_knows_is_never_a_zero() -> None:
    for write in (format.dollars, format.compact, format.cents, format.plain, format.number):
        assert write(None) == "–"
    assert (format.saving(None), format.known_saving(None)) == ("–", "unknown")
    assert (format.known_saving(D(0)), format.known_saving(D("0.5"))) == ("$0", "+$0.50")
    assert format.drawn(None) is None


@pytest.mark.parametrize(
    ("ratio", "places", "text"),
    [
        ("0.9996", 1, "99.9\u00a0%"),
        ("0.995", 0, "99.9\u00a0%"),
        ("0.9949", 0, "99\u00a0%"),
        ("1.004", 0, "100\u00a0%"),
        ("12.345", 0, "1,235\u00a0%"),
        ("-0.004", 0, "0\u00a0%"),
        ("0.12345", 1, "12.3\u00a0%"),
    ],
)
def test_a_percentage_keeps_its_places(ratio: str, places: int, text: str) -> None:
    assert format.percent(D(ratio), places) == text


@given(st.dates(date(1990, 1, 1), date(2090, 12, 30)))
def test_no_two_days_are_written_alike(day: date) -> None:
    assert format.day(day) != format.day(day + timedelta(days=1))
    assert format.day(day).endswith(format.month(day))
    assert format.month_name(day.isoformat()[:7]) == format.month(day)


def test_a_text_becomes_a_sentence() -> None:
    assert format.sentence("too few GPU runs have ended") == "Too few GPU runs have ended."
    assert format.sentence("GPU price unknown") == "GPU price unknown."

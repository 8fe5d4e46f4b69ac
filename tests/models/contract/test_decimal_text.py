"""Decimals as text: exact, at least two places, no zeros after them, never an exponent."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.contract.decimal_text import decimal_text, dollars, rounded

AMOUNT = st.decimals(-(10**15), 10**15, places=9, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0.00"),
        ("7", "7.00"),
        ("1.5", "1.50"),
        ("0.1250", "0.125"),
        ("1.000000000", "1.00"),
        ("-0.000000001", "-0.000000001"),
        ("1E+3", "1000.00"),
        ("1E-7", "0.0000001"),
        ("20000000000000.100000000", "20000000000000.10"),
        ("12345678901234567890123456789.123456789", "12345678901234567890123456789.123456789"),
        ("1E+30", "1000000000000000000000000000000.00"),
    ],
)
def test_zeros_are_cut_down_to_two_places_and_added_up_to_them(value: str, text: str) -> None:
    assert decimal_text(Decimal(value)) == text


@given(value=AMOUNT)
def test_the_text_reads_back_as_the_same_amount(value: Decimal) -> None:
    text = decimal_text(value)
    assert Decimal(text) == value
    assert re.fullmatch(r"-?\d+\.\d\d(\d*[1-9])?", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "$0.00"),
        ("-0.004", "$0.00"),
        ("0.005", "$0.01"),
        ("-0.005", "-$0.01"),
        ("1.005", "$1.01"),
        ("-1234.5", "-$1,234.50"),
        ("999999.995", "$1,000,000.00"),
        ("123456789012345678.123456789", "$123,456,789,012,345,678.12"),
    ],
)
def test_dollars_are_rounded_half_up_and_a_rounded_zero_has_no_sign(value: str, text: str) -> None:
    assert dollars(Decimal(value)) == text


def test_unknown_dollars_are_not_zero() -> None:
    assert dollars(None) == "unknown"


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [("2.5", 0, "3"), ("-2.5", 0, "-3"), ("0.045", 2, "0.05"), ("7", 1, "7.0")],
)
def test_half_is_rounded_away_from_zero_and_not_to_the_even_neighbour(
    value: str, places: int, text: str
) -> None:
    assert str(rounded(Decimal(value), places)) == text

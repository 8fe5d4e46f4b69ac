"""Decimals as text: exact, at least two places, no zeros after them, never an exponent."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.contract.decimal_text import decimal_text

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

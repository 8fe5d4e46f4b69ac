"""The values that options take: exact decimals between bounds, months, days, and nothing else."""

from __future__ import annotations

from decimal import Decimal

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.options import Day, Number, month_argument

ANY_VERB = click.Context(click.Command("any"))


def converted(text: object, low: str, high: str) -> Decimal:
    return Number(low, high).convert(text, None, None)


@pytest.mark.parametrize("text", ["0", "1", "0.1", "1E-9", "0.999999999999999999999"])
def test_a_number_is_read_to_its_last_digit_and_bounds_are_included(text: str) -> None:
    assert str(converted(text, "0", "1")) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.0000001", "1.0000001 is not between 0 and 1"),
        ("-0.01", "-0.01 is not between 0 and 1"),
        ("nan", "nan is not between 0 and 1"),
        ("Infinity", "Infinity is not between 0 and 1"),
        ("33%", "'33%' is not a plain decimal number"),
        ("1,5", "'1,5' is not a plain decimal number"),
        ("$1", "'$1' is not a plain decimal number"),
        ("", "'' is not a plain decimal number"),
    ],
)
def test_what_is_no_number_between_the_bounds_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        converted(text, "0", "1")
    assert refused.value.message == message


def test_bounds_are_written_out_and_not_as_powers_of_ten() -> None:
    with pytest.raises(click.BadParameter) as refused:
        Number().convert("1e16", None, None)
    assert refused.value.message == ("1e16 is not between -1000000000000000 and 1000000000000000")


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(0, 10**15))
def test_a_number_is_accepted_if_and_only_if_it_lies_between_its_bounds(
    number: Decimal, high: int
) -> None:
    try:
        accepted = converted(str(number), "0", str(high)) == number
    except click.BadParameter:
        accepted = False
    assert accepted == (0 <= number <= high)


@pytest.mark.parametrize(
    "text", ["2026-13", "2026-00", "2026-1", "202610", "2026-10-01", " 2026-10", "october", ""]
)
def test_a_month_is_four_digits_and_two(text: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        month_argument(ANY_VERB, click.Argument(["month"]), text)
    assert refused.value.message == f"{text!r} is not YYYY-MM"


def test_a_month_stays_as_it_was_written() -> None:
    assert month_argument(ANY_VERB, click.Argument(["month"]), "2026-10") == "2026-10"


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "2026-9-1x", "2026-10-31T00:00", ""])
def test_what_is_no_day_is_refused_in_words_and_not_by_a_pattern(text: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        Day().convert(text, None, None)
    assert refused.value.message == f"{text!r} is no day; write one as 2026-10-31"
    found = Day().convert("2026-10-31", None, None)
    assert found.isoformat() == "2026-10-31T00:00:00"

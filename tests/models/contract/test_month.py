"""A month is written `2026-09` and in no other way."""

from __future__ import annotations

import pytest

from models.contract.month import is_month


@pytest.mark.parametrize("number", range(1, 13))
def test_each_of_the_twelve_months_is_one(number: int) -> None:
    assert is_month(f"2026-{number:02}")


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026-00", "2026-13", "2026-9", "26-09"),
        *("2026-09-01", "2026/09", " 2026-09", "2026-09\n", "٢٠٢٦-09"),
    ],
)
def test_no_other_spelling_is_a_month(text: str) -> None:
    assert not is_month(text)

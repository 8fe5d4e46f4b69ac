"""How much the spread of a small sample is widened, and which order statistic is a quantile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.forecast import interval
from models.forecast.horizon import DAYS, MONTHS, WEEKS

STUDENT = {4: 1.5332062, 5: 1.4758840, 8: 1.3968153, 12: 1.3562173, 29: 1.3114336, 99: 1.2901614}
"""Student's 90 % quantile by degrees of freedom, as printed in tables."""


@pytest.mark.parametrize("degrees", STUDENT)
def test_the_widening_is_students_tail_and_the_missing_variance(degrees: int) -> None:
    count = degrees + 1
    exact = STUDENT[degrees] / 1.2815516 * (count / degrees) ** 0.5
    assert interval.widening(count) == pytest.approx(exact, rel=2e-3)


def test_the_more_data_the_less_is_widened() -> None:
    factors = [interval.widening(count) for count in (2, 3, 5, 8, 20, 100, 10_000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == pytest.approx(1, abs=2e-4)
    assert min(factors) > 1


def test_five_runs_are_widened_by_this_much() -> None:
    """√(5 ÷ 4) × (1 + 2.642375 ÷ 16 + 42.765 ÷ 1,536 + 77.461 ÷ 24,576)."""
    assert round(interval.widening(5), 3) == 1.337


@pytest.mark.parametrize(
    ("count", "share", "rank"),
    [(10, 0.1, 1), (10, 0.9, 9), (1000, 0.1, 100), (1000, 0.9, 900), (11, 0.5, 6), (1, 0.1, 1)],
)
def test_a_quantile_is_this_order_statistic(count: int, share: float, rank: int) -> None:
    """1 − 0.1 is 0.9 to a float only; nine places keep 900 from being 901."""
    assert interval.ranked(np.arange(1, count + 1), share) == rank
    assert interval.band(np.arange(count, 0, -1))[2] == -(-count * 9 // 10)


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_at_least_each_share_of_the_worlds_lies_at_or_below_its_quantile(
    values: list[int],
) -> None:
    worlds = np.array(values)
    quantiles = [int(found) for found in interval.band(worlds)]
    for tenths, found in zip((1, 5, 9), quantiles, strict=True):
        assert found in values
        assert 10 * int(np.count_nonzero(worlds <= found)) >= tenths * len(values)
        assert 10 * int(np.count_nonzero(worlds < found)) < tenths * len(values)


def test_a_band_over_weeks_is_the_band_of_each_week() -> None:
    worlds = np.array([[3, 10], [1, 30], [2, 20]])
    low, median, high = interval.band(worlds)
    assert (low.tolist(), median.tolist(), high.tolist()) == ([1, 10], [2, 20], [3, 30])


def test_the_horizon_is_two_years_of_52_weeks() -> None:
    assert (MONTHS, WEEKS * 12, DAYS) == (24, MONTHS * 52, 7)

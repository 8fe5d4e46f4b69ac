"""METHOD §6: when drawn worlds break even, and how many never do."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from models.forecast import interval
from models.forecast.bootstrap import PATHS
from models.forecast.horizon import WEEKS
from tests.support.marts.forecast_cases import CUTOFF


def test_worlds_that_do_not_break_even_count_as_never_in_the_quantiles() -> None:
    net = np.full((PATHS, WEEKS + 1), -1, dtype=np.int64)
    net[PATHS // 2 :, 10:] = 1
    span = interval.span(net, CUTOFF)
    assert span.low == CUTOFF + timedelta(days=66)
    assert span.median == CUTOFF + timedelta(days=67)
    assert (span.high, span.never_share) == (None, 0.5)


def test_a_world_that_falls_back_below_zero_has_not_broken_even() -> None:
    net = np.full((PATHS, WEEKS + 1), 1, dtype=np.int64)
    net[:, 20] = -1
    assert interval.span(net, CUTOFF).high == CUTOFF + timedelta(days=144)


def test_a_world_may_break_even_in_its_first_week() -> None:
    """A dollar short on the last settled day, a dollar over a week later: on the fourth day."""
    net = np.full((PATHS, WEEKS + 1), 1, dtype=np.int64)
    net[:, 0] = -1
    span = interval.span(net, CUTOFF)
    assert (span.low, span.high) == (CUTOFF + timedelta(days=3), CUTOFF + timedelta(days=4))


def test_to_owe_nothing_is_to_have_broken_even() -> None:
    even = np.full((PATHS, WEEKS + 1), 0, dtype=np.int64)
    assert interval.span(even, CUTOFF).high == CUTOFF + timedelta(days=1)
    even[:, :5] = -1
    assert interval.span(even, CUTOFF).high == CUTOFF + timedelta(weeks=5)
    even[:] = np.arange(WEEKS, -1, -1)
    assert interval.span(even, CUTOFF).high == CUTOFF + timedelta(days=1)


def test_a_world_may_break_even_in_the_last_week_of_the_horizon() -> None:
    net = np.full((PATHS, WEEKS + 1), -1, dtype=np.int64)
    net[:, WEEKS] = 0
    assert interval.span(net, CUTOFF).high == CUTOFF + timedelta(weeks=WEEKS)


def test_a_quantile_is_the_smallest_value_that_its_share_does_not_exceed() -> None:
    low, median, high = interval.band(np.arange(10, 0, -1))
    assert (low, median, high) == (1, 5, 9)

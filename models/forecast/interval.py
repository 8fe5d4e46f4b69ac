"""Computes 80 % intervals over simulated futures: of amounts, and of the break-even date.

Quantiles are order statistics and never interpolated, so every machine computes the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from models.forecast.draws import Real, Whole
from models.forecast.horizon import DAYS, WEEKS

TAIL = 0.1
"""The probability outside each end of an 80 % interval."""
Z = 1.2815515655446004
"""The normal deviate with `TAIL` beyond it."""


@dataclass(frozen=True)
class Span:
    """The break-even date's 80 % interval and median (None: too late), and the share of `never`."""

    low: date | None
    median: date | None
    high: date | None
    never_share: float


def span(net: Whole, cutoff: date) -> Span:
    """Computes the break-even date's 80 % interval and median, and the share without break-even.

    `net` is the cumulative net by simulation and week. `never_share` is the share of simulations
    below zero at the end, which count as infinitely late.
    """
    days = _days(net)
    low, median, high = map(float, band(days))
    never = int(np.count_nonzero(np.isinf(days))) / len(days)
    outwards = _date(cutoff, low, floor), _date(cutoff, median, ceil), _date(cutoff, high, ceil)
    return Span(*outwards, never)


def band(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Returns the 10 %, 50 % and 90 % quantiles over the simulations, per week if several."""
    order = np.sort(values, axis=0)
    return tuple(ranked(order, share) for share in (TAIL, 0.5, 1 - TAIL))


def widening(count: int) -> float:
    """Returns the factor that widens a bootstrap of `count` observations to a true 80 % interval.

    A bootstrap of a small sample is too narrow for two reasons: its variance is too small by 1 in
    `count`, and its tails are those of the normal distribution instead of Student's
    (Cornish-Fisher, `count` − 1 degrees of freedom).
    """
    degrees, square = count - 1, Z * Z
    first = (square + 1) / (4 * degrees)
    second = (5 * square * square + 16 * square + 3) / (96 * degrees * degrees)
    third = (3 * square * square * square + 19 * square * square + 17 * square - 15) / (
        384 * degrees * degrees * degrees
    )
    return sqrt(count / degrees) * (1 + first + second + third)


def ranked(values: npt.NDArray[Any], share: float) -> npt.NDArray[Any]:
    """Returns the quantile of sorted values: the smallest that a given share do not exceed."""
    return np.asarray(values[ceil(round(share * len(values), 9)) - 1])


def _days(net: Whole) -> Real:
    """Returns days until each simulation is last below zero: 0 if never, infinite if at the end."""
    below = net < 0
    last = WEEKS - np.argmax(below[:, ::-1], axis=1)
    rows, safe = np.arange(len(net)), np.minimum(last, WEEKS - 1)
    left, right = net[rows, safe], net[rows, safe + 1]
    crossing = DAYS * (safe - left / np.maximum(right - left, 1))
    return np.where(below.any(axis=1), np.where(below[:, -1], np.inf, crossing), 0)


def _date(cutoff: date, days: float, rounded: Callable[[float], int]) -> date | None:
    """Returns the date so many days after the cutoff, rounded, at least one; None if infinite."""
    return None if days == float("inf") else cutoff + timedelta(days=max(1, rounded(days)))

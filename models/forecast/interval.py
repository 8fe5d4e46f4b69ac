"""80 % intervals of drawn worlds: of amounts, and of the break-even date with its never share.

Quantiles are order statistics, never interpolated, so that every machine finds the same.
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
"""What lies beyond either end of an 80 % interval."""
Z = 1.2815515655446004
"""The normal deviate with `TAIL` beyond it."""


@dataclass(frozen=True)
class Span:
    """An 80 % interval of the break-even date; None lies beyond the horizon."""

    low: date | None
    median: date | None
    high: date | None
    never_share: float


def span(net: Whole, cutoff: date) -> Span:
    """The interval of the day from which a world stays above zero until the horizon.

    `net`: cumulative net by world and week. `never_share`: worlds that are below zero at the end;
    they count as infinitely late.
    """
    days = _days(net)
    low, median, high = map(float, band(days))
    never = int(np.count_nonzero(np.isinf(days))) / len(days)
    outwards = _date(cutoff, low, floor), _date(cutoff, median, ceil), _date(cutoff, high, ceil)
    return Span(*outwards, never)


def band(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """10 %, 50 % and 90 % quantile over the worlds, of each week where there are weeks."""
    order = np.sort(values, axis=0)
    return tuple(ranked(order, share) for share in (TAIL, 0.5, 1 - TAIL))


def widening(count: int) -> float:
    """The factor by which the spread of a mean of `count` draws is widened, so that 80 % holds.

    A bootstrap of a small sample is too narrow twice: its variance is short of 1 in `count`, and
    its tails are the normal's instead of Student's (Cornish-Fisher, `count` − 1 degrees).
    """
    degrees, square = count - 1, Z * Z
    first = (square + 1) / (4 * degrees)
    second = (5 * square * square + 16 * square + 3) / (96 * degrees * degrees)
    third = (3 * square * square * square + 19 * square * square + 17 * square - 15) / (
        384 * degrees * degrees * degrees
    )
    return sqrt(count / degrees) * (1 + first + second + third)


def ranked(values: npt.NDArray[Any], share: float) -> npt.NDArray[Any]:
    """The smallest of the sorted `values` that a `share` of them do not exceed."""
    return np.asarray(values[ceil(round(share * len(values), 9)) - 1])


def _days(net: Whole) -> Real:
    """Days until each world is above zero for good; infinite if it is not by the horizon."""
    below = net < 0
    last = WEEKS - np.argmax(below[:, ::-1], axis=1)
    rows, safe = np.arange(len(net)), np.minimum(last, WEEKS - 1)
    left, right = net[rows, safe], net[rows, safe + 1]
    crossing = DAYS * (safe - left / np.maximum(right - left, 1))
    return np.where(below.any(axis=1), np.where(below[:, -1], np.inf, crossing), 0)


def _date(cutoff: date, days: float, rounded: Callable[[float], int]) -> date | None:
    """The day after so many days, at least one; None beyond the horizon."""
    return None if days == float("inf") else cutoff + timedelta(days=max(1, rounded(days)))

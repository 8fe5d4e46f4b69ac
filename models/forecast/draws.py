"""Chance that is the same on every machine.

Indices come from PCG64's raw 64-bit output by integer arithmetic alone: neither the numpy version,
nor the processor, nor the order in which something is summed can change them. Quantiles are order
statistics, never interpolated.
"""

from __future__ import annotations

from hashlib import sha256
from math import ceil, prod, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]

TAIL = 0.1
"""What lies beyond either end of an 80 % interval."""
Z = 1.2815515655446004
"""The normal deviate with `TAIL` beyond it."""


class Draws:
    """An endless row of uniform indices; the same name gives the same row."""

    def __init__(self, name: str) -> None:
        seed = int.from_bytes(sha256(name.encode()).digest()[:16], "big")
        self._bits = np.random.PCG64(seed)

    def indices(self, below: int, *shape: int) -> Whole:
        """Numbers from 0 up to `below`, drawn with replacement."""
        drawn = self._bits.random_raw(prod(shape))
        drawn >>= np.uint64(32)
        drawn *= np.uint64(below)
        drawn >>= np.uint64(32)
        return drawn.view(np.int64).reshape(shape)

    def skip(self, count: int) -> None:
        """As if `count` indices had been drawn."""
        self._bits.advance(count)


def widening(count: int) -> float:
    """By how much a mean of `count` draws must spread more, so that 80 % means 80 %.

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
    """Of sorted `values` (along the first axis) the smallest that `share` of them do not exceed."""
    return np.asarray(values[ceil(round(share * len(values), 9)) - 1])

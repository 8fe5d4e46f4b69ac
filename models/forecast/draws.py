"""Draws random numbers that are the same on every machine.

Indices come from PCG64's raw 64-bit output by integer arithmetic alone: neither the numpy version
nor the processor can change them.
"""

from __future__ import annotations

from hashlib import sha256
from math import prod

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


class Draws:
    """An endless sequence of random indices; the same name gives the same sequence."""

    def __init__(self, name: str) -> None:
        seed = int.from_bytes(sha256(name.encode()).digest()[:16], "big")
        self._bits = np.random.PCG64(seed)

    def indices(self, below: int, *shape: int) -> Whole:
        """Draws an array of random integers from 0 up to `below` (exclusive), with replacement."""
        drawn = self._bits.random_raw(prod(shape))
        drawn >>= np.uint64(32)
        drawn *= np.uint64(below)
        drawn >>= np.uint64(32)
        return drawn.view(np.int64).reshape(shape)

    def skip(self, count: int) -> None:
        """Skips a number of indices of the random sequence."""
        self._bits.advance(count)

"""Random numbers that are the same on every machine: literal draws of one name."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.forecast.draws import Draws


def by_hand(name: str, below: int, count: int) -> list[int]:
    """The high half of each raw number, scaled to `below` in integers of any size."""
    seed = int.from_bytes(sha256(name.encode()).digest()[:16], "big")
    raw = np.random.PCG64(seed).random_raw(count).tolist()
    return [(number >> 32) * below >> 32 for number in raw]


def test_the_first_draws_of_a_name_are_these() -> None:
    assert Draws("atlas-7b").indices(10, 12).tolist() == [1, 9, 9, 5, 3, 7, 7, 6, 0, 5, 3, 5]
    assert Draws("").indices(1_000_000, 3).tolist() == [392118, 994205, 242930]


@settings(max_examples=40)
@given(st.text(max_size=8), st.integers(1, 2**31), st.integers(1, 30))
def test_a_draw_is_the_scaled_high_half_of_a_raw_number(name: str, below: int, count: int) -> None:
    found = Draws(name).indices(below, count)
    assert found.tolist() == by_hand(name, below, count)
    assert found.min() >= 0
    assert found.max() < below


@pytest.mark.parametrize("skipped", [0, 1, 7, 1000])
def test_what_is_skipped_is_as_if_it_had_been_drawn(skipped: int) -> None:
    drawn, passed = Draws("atlas-7b"), Draws("atlas-7b")
    drawn.indices(5, skipped)
    passed.skip(skipped)
    assert passed.indices(100, 20).tolist() == drawn.indices(100, 20).tolist()


def test_the_shape_does_not_change_the_sequence() -> None:
    flat = Draws("atlas-7b").indices(100, 24)
    shaped = Draws("atlas-7b").indices(100, 2, 3, 4)
    assert shaped.shape == (2, 3, 4)
    assert shaped.ravel().tolist() == flat.tolist()


def test_every_index_is_about_as_frequent() -> None:
    """A million draws below 7: each within 1 % of a seventh (its deviation is 0.25 %)."""
    counts = np.bincount(Draws("even").indices(7, 1_000_000), minlength=7)
    assert np.abs(counts / (1_000_000 / 7) - 1).max() < 0.01

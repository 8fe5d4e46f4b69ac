from __future__ import annotations

import pytest

from ingest.trackers.max_steps import is_share, max_steps_of


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        (b'{"max_steps": 1000}', 1000),
        (b'{"max_steps": "1000"}', 1000),
        (b'{"max_steps": -1}', 0),
        (b"{}", 0),
        (b"no json", 0),
        (b"[]", 0),
        (b'{"max_steps": null}', 0),
    ],
)
def test_only_a_number_above_zero_limits_the_steps(arguments: bytes, steps: int) -> None:
    assert max_steps_of(arguments) == steps


@pytest.mark.parametrize(
    ("epoch", "step", "max_steps", "share"),
    [
        (0.1, 100, 1000, True),
        (0.10000000149, 100, 1000, True),  # in single precision
        (0.2, 100, 1000, False),
        (0.1, 100, 0, False),
        (0.0, 0, 1000, False),
    ],
)
def test_an_epoch_that_is_the_part_of_all_steps_is_none(
    epoch: float, step: int, max_steps: int, share: bool
) -> None:
    assert is_share(epoch, step, max_steps) is share

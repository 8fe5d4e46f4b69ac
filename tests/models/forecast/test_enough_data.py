"""METHOD §6: how much data a forecast needs, and when training has stopped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.forecast import enough_data
from models.forecast.case import Case
from tests.support.marts.forecast_cases import runs, steady


def test_who_trains_seldom_has_not_stopped_in_a_pause_six_times_as_long() -> None:
    """A run every third week: eighteen weeks without one are six of them."""
    case = replace(steady(13), starts=np.arange(0, 5 * 21, 21))
    assert enough_data.stopped(replace(case, quiet=18 * 7 - 1)) == 0
    assert enough_data.stopped(replace(case, quiet=18 * 7)) == 18


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (replace(steady(), gpu=runs(200, 4)), "4 of 5 GPU runs"),
        (replace(steady(), trn=runs(130, 4, 200)), "4 of 5 Trainium runs"),
        (steady(7), "7 of 8 weeks"),
        (replace(steady(), starts=np.array([0, 1, 2, 3, 4])), "1 of 4 weeks in which a run starts"),
        (replace(steady(10), starts=np.array([10, 24, 38, 52])), None),
        (replace(steady(), window=None), "the baseline is a quote, not runs"),
        (steady(), None),
    ],
)
def test_too_little_data_is_said(case: Case, words: str | None) -> None:
    assert enough_data.shortage(case) == words

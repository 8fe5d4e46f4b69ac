"""METHOD §6, Forecast: nothing is saved after training ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.forecast import bootstrap
from models.forecast.horizon import DAYS, WEEKS
from tests.support.marts.forecast_cases import steady


@pytest.mark.parametrize("left", [0, 10, 70, 7 * 104, 5000])
def test_a_path_is_as_without_an_end_until_then_and_level_after(left: int) -> None:
    case = steady()
    plain = bootstrap.paths(case).net
    ended = bootstrap.paths(replace(case, left=left)).net
    whole = min(left // DAYS, WEEKS)
    assert np.array_equal(ended[:, : whole + 1], plain[:, : whole + 1])
    after = min(-(-left // DAYS), WEEKS)
    assert (ended[:, after:] == ended[:, after : after + 1]).all()


def test_a_loss_stops_with_the_training_too() -> None:
    case = replace(steady(earned=-70, owed=-500), left=14)
    net = bootstrap.paths(case).net
    assert (net[:, 2:] == net[:, 2:3]).all()
    assert (net[:, 2] < net[:, 0]).all()

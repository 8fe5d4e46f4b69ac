"""METHOD §6: the forecast. Coverage is its contract; the recipe is `models.forecast`'s."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import numpy as np
import pytest

from benchmarks.coverage import GOAL, WORLDS, Kind, covered
from models.forecast import bootstrap, enough_data, interval
from models.forecast.case import MICRO, Case, Runs
from models.forecast.horizon import WEEKS
from tests.support.marts.forecast_cases import CUTOFF, quiet, runs, steady


@pytest.mark.parametrize(
    "kind", [Kind(8, 12, 0.1, "steady"), Kind(12, 26, 0.1, "random", second=4.0)], ids=str
)
def test_an_80_percent_interval_holds_80_percent_of_500_worlds(kind: Kind) -> None:
    """Also where the baseline rests on eight of twelve runs, on the lower of two platforms."""
    low, high = GOAL
    dates, savings, _ = covered(kind, WORLDS)
    assert low <= dates <= high
    assert low <= savings <= high


def test_of_two_platforms_that_cost_the_same_the_lower_is_no_surprise() -> None:
    """At least 75 %; the interval of the saving is about 40 % of it wide."""
    dates, savings, width = covered(Kind(8, 26, 0.1, "steady", second=0.0), WORLDS // 2)
    assert min(dates, savings) >= GOAL[0]
    assert 0.35 <= width <= 0.5


def test_without_spread_there_is_one_future() -> None:
    """$700 to go at $70 a week: ten weeks."""
    found = bootstrap.paths(steady())
    span = interval.span(found.net, CUTOFF)
    assert {span.low, span.median, span.high} == {CUTOFF + timedelta(weeks=10)}
    assert span.never_share == 0
    assert found.net[0].tolist() == [(-700 + 70 * week) * MICRO for week in range(WEEKS + 1)]
    assert set(found.saving.tolist()) == {35.0 * MICRO}


def test_what_a_unit_saves_is_drawn_from_the_runs_of_the_main_kind_alone() -> None:
    """$35 an epoch, whatever another recipe loses; unknown where four of its GPU runs ended."""
    alone = steady()
    own, other = alone.trn, runs(900, 8, 200)
    both = Runs(
        np.concatenate([own.cost, other.cost]),
        np.concatenate([own.epochs, other.epochs]),
        np.concatenate([own.counterfactual, other.counterfactual]),
    )
    mixed = replace(alone, trn=both, main=alone)
    saving = bootstrap.paths(mixed).saving
    assert saving is not None
    assert set(saving.tolist()) == {35.0 * MICRO}
    few = bootstrap.paths(replace(mixed, main=replace(alone, gpu=runs(200, 4))))
    assert (few.saving, few.gpu, few.trn) == (None, None, None)
    assert few.net.tolist() == bootstrap.paths(alone).net.tolist()


def test_upkeep_and_planned_outlays_put_it_off() -> None:
    case = steady()
    upkeep = replace(case, spending=35 * MICRO * np.arange(WEEKS + 1))
    planned = replace(case, spending=700 * MICRO * (np.arange(WEEKS + 1) >= 3))
    ends = {interval.span(bootstrap.paths(c).net, CUTOFF).high for c in (upkeep, planned)}
    assert ends == {CUTOFF + timedelta(weeks=20)}


def test_what_never_pays_back_is_beyond_every_date() -> None:
    span = interval.span(bootstrap.paths(steady(earned=-5)).net, CUTOFF)
    assert (span.low, span.median, span.high, span.never_share) == (None, None, None, 1.0)


def test_a_losing_workload_is_drawn_from_its_newest_twelve_weeks() -> None:
    """It earned $70 in each of ten weeks, then lost $5 in each of twelve."""
    case = steady(22)
    case.net[70::7] = -5 * MICRO
    assert interval.span(bootstrap.paths(case).net, CUTOFF).never_share < 0.5
    losing = bootstrap.paths(replace(case, losing=True))
    assert losing.net[0].tolist() == [(-700 - 5 * week) * MICRO for week in range(WEEKS + 1)]
    case.net[70] = 5 * MICRO  # the twelfth-last is one of them
    assert np.ptp(bootstrap.paths(replace(case, losing=True)).net[:, WEEKS]) > 0


def test_a_week_that_made_no_epoch_is_paid_on_its_first_day() -> None:
    """$10 each eighth day: by day 49 there have been seven of them."""
    net = np.zeros(64, dtype=np.int64)
    net[::8] = -10 * MICRO
    idle = replace(steady(), net=net, counterfactual=0 * net, starts=np.arange(0, 64, 8))
    assert bootstrap.paths(idle).net[0, [6, 7]].tolist() == [-760 * MICRO, -770 * MICRO]


def in_a_year(case: Case) -> float:
    """What the median world earns in it."""
    return float(np.median(bootstrap.paths(case).net[:, 52]) + 700 * MICRO)


def test_training_that_pauses_is_not_carried_on_at_its_old_pace() -> None:
    """Eight weekly runs and then eleven quiet weeks earn less than eight weekly runs."""
    assert in_a_year(steady()) == 52 * 70 * MICRO
    assert 0 < in_a_year(quiet(11)) < 52 * 70 * MICRO / 2
    idle = replace(quiet(11), starts=np.arange(0, 19 * 7, 7))
    assert (bootstrap.paths(quiet(11)).net == bootstrap.paths(idle).net).all()  # eleven of them


def test_training_that_stopped_is_not_taken_to_begin_again() -> None:
    case = quiet(12)
    assert in_a_year(replace(case, quiet=83)) > 0
    assert (enough_data.stopped(replace(case, quiet=83)), enough_data.stopped(case)) == (0, 12)
    assert set(bootstrap.paths(case).net[:, WEEKS].tolist()) == {-700 * MICRO}
    assert interval.span(bootstrap.paths(case).net, CUTOFF).never_share == 1


def test_what_stopped_training_still_costs_it_goes_on_costing() -> None:
    """A dollar of storage a day, and no run to come."""
    case = quiet(12)
    case.net[-84:] = -MICRO
    assert in_a_year(case) == -52 * 7 * MICRO
    case.net[-84:-56] = -4 * MICRO  # the mean of all 84 days is $2
    assert in_a_year(case) == -52 * 7 * 2 * MICRO


def test_lineages_without_an_epoch_cost_all_the_same() -> None:
    case = steady()
    dead = Runs(
        *(np.append(a, b) for a, b in zip(vars(case.trn).values(), (64 * MICRO, 0, 0), strict=True))
    )
    found = bootstrap.paths(replace(case, trn=dead))
    assert set(found.saving.tolist()) == {31.0 * MICRO}
    assert found.trn is not None
    assert set(found.trn.tolist()) == {69.0 * MICRO}


def test_the_draws_are_the_same_everywhere() -> None:
    case = steady(12)
    case.net[::7] += MICRO * (np.arange(12) * 37 % 50 - 25)
    case.gpu.cost[:] += MICRO * np.array([-20, 9, 0, 30, -19])
    found = bootstrap.paths(case)
    assert _mark(found.net) == "c6851c67e45027d8"
    assert _mark(found.saving) == "4ea9eedbbd139e29"
    alone = bootstrap.paths(case, ahead=False)
    assert (len(alone.net), _mark(alone.saving)) == (0, "4ea9eedbbd139e29")
    unfinished = replace(case, starts=np.arange(0, 84, 18))
    assert _mark(bootstrap.paths(unfinished).net) == "8d5fa6300f1b94d9"
    uneven = replace(case, starts=np.array([3, 10, 45, 52, 87, 94, 97]))
    for name in ("net", "counterfactual"):
        days = np.concatenate([getattr(case, name), np.zeros(110 - 84, dtype=np.int64)])
        uneven = replace(uneven, **{name: days})
    assert _mark(bootstrap.paths(uneven).net) == "6841791dc032faa6"
    case.trn.cost[:] += MICRO * (np.arange(12) * 29 % 40)
    assert _mark(bootstrap.paths(case).saving) == "8aa73d2d3b8b461c"
    other = bootstrap.paths(replace(case, workload="lumen-7b"))
    assert not np.array_equal(found.net, other.net)


def _mark(values: np.ndarray) -> str:
    return sha256(values.tobytes()).hexdigest()[:16]

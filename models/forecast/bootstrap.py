"""Simulates possible futures of a workload: a two-stage bootstrap (METHOD §6.6).

First the GPU runs and the weeks are drawn, which gives each of `PATHS` simulations its own baseline
and pace; then each simulation's future is drawn from its weeks. An error of the baseline applies to
its past as well. One-time investment is not drawn.

Spread is widened for small samples (`interval.widening`), so that 80 % of true values lie inside
the interval: `benchmarks/coverage.py` checks it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.forecast.case import MICRO, Case
from models.forecast.draws import Draws, Real, Whole
from models.forecast.enough_data import shortage, stopped
from models.forecast.horizon import DAYS, WEEKS
from models.forecast.interval import widening
from models.forecast.training_weeks import TrainingWeeks, training_weeks

PATHS = 1000
NO_WORLDS: Whole = np.empty((0, WEEKS + 1), dtype=np.int64)


@dataclass(frozen=True)
class Paths:
    """Simulated futures of a workload or the portfolio: cumulative net saving, saving per epoch.

    `net` has a row per simulation and a column per week, and no rows where `paths` got
    `ahead=False`. The others have a value per simulation: `saving` per epoch, `gpu` the error of
    the GPU baseline as a fraction of it, `trn` the cost of an epoch on Trainium. The portfolio has
    neither `gpu` nor `trn`. These three are of the main kind of work, and None where that has too
    few runs.
    """

    net: Whole
    saving: Real | None
    gpu: Real | None = None
    trn: Real | None = None


def paths(case: Case, *, ahead: bool = True) -> Paths:
    """Simulates a workload's futures: cumulative net by week (if `ahead`), saving and epoch cost.

    The result is the same on every machine. The savings are the same with and without `ahead`.
    """
    draws = Draws(case.workload)
    shift, weeks = _baselines(case, draws), training_weeks(case)
    if ahead:
        net = _futures(case, weeks, shift, draws)
    else:
        net = NO_WORLDS
        draws.skip(PATHS * (len(weeks.length) + _horizon(case, weeks)))
    return Paths(net, *_per_unit(case, shift, draws))


def _per_unit(case: Case, shift: Real, draws: Draws) -> tuple[Real | None, ...]:
    """Draws three arrays for the main recipe: saving and Trainium cost per unit, baseline error.

    Each is None where that kind has too few runs of its own.
    """
    if case.main is None:
        return _savings(case, shift, draws)
    if shortage(case.main):
        return None, None, None
    return _savings(case.main, _baselines(case.main, draws), draws)


def _baselines(case: Case, draws: Draws) -> Real:
    """Draws how far the GPU baseline may be off the measured one, as a fraction per simulation."""
    gpu = case.gpu
    drawn = draws.indices(len(gpu.cost), PATHS, case.window or 0)
    cost = gpu.cost[drawn].sum(axis=1) / gpu.epochs[drawn].sum(axis=1)
    measured = int(gpu.cost.sum()) / int(gpu.epochs.sum())
    return np.asarray((cost / measured - 1) * widening(len(gpu.cost)))


def _savings(case: Case, shift: Real, draws: Draws) -> tuple[Real, Real, Real]:
    """Draws each simulation's saving and Trainium cost per epoch; also returns `shift` unchanged.

    The cost of lineages without an epoch is shared by all epochs, because they have no cost per
    epoch of their own.
    """
    trn, worked = case.trn, case.trn.epochs > 0
    count, total = int(np.count_nonzero(worked)), int(trn.epochs.sum())
    drawn = np.flatnonzero(worked)[draws.indices(count, PATHS, count)]
    epochs, wide = trn.epochs[drawn].sum(axis=1), widening(count)

    def per_epoch(amounts: Whole) -> Real:
        mean = int(amounts[worked].sum()) / total
        return np.asarray(mean + wide * (amounts[drawn].sum(axis=1) / epochs - mean))

    lost = int(trn.cost[~worked].sum()) / total
    cost = per_epoch(trn.cost) + lost
    saved = (1 + shift) * per_epoch(trn.counterfactual) - cost
    return saved * MICRO, shift, cost * MICRO


def _horizon(case: Case, weeks: TrainingWeeks) -> int:
    """Returns how many weeks to draw: 104, two spare, and those since the last past week's end."""
    return WEEKS + 2 + (len(case.net) - weeks.origin) // DAYS


def _futures(case: Case, weeks: TrainingWeeks, shift: Real, draws: Draws) -> Whole:
    """Simulates cumulative net, saving less investment, by week's end: a row per simulation."""
    elapsed, ahead = len(case.net) - weeks.origin, _horizon(case, weeks)
    length, worked, amount = _drawn(weeks, shift, draws, ahead)
    if stopped(case):
        amount = _whole(length * case.net[-case.quiet :].mean())
    past = -case.owed - int(case.net[weeks.origin :].sum())
    begin = past + _whole(shift * int(case.counterfactual[: weeks.origin].sum()))
    ends = np.cumsum(length, axis=1) - elapsed
    before = np.cumsum(amount, axis=1) - amount
    days = _training_days(case)
    at = _current(ends, days) + ahead * np.arange(PATHS)[:, None]
    part = (days - np.take(ends - length, at)) / np.take(worked, at)
    earned = np.take(before, at) + _whole(np.asarray(np.take(amount, at) * np.minimum(part, 1)))
    return np.asarray(begin[:, None] + earned - case.spending)


def _drawn(
    weeks: TrainingWeeks, shift: Real, draws: Draws, ahead: int
) -> tuple[Whole, Whole, Whole]:
    """Draws each simulation's future weeks: their days, days up to the last work, net saving.

    A week's amount is the simulation's pace × the week's days, plus how far the drawn week was off
    its own pace.
    """
    count = len(weeks.length)
    first = draws.indices(count, PATHS, count)
    days = weeks.length[first].sum(axis=1)
    counterfactual = weeks.counterfactual[first].sum(axis=1)
    drawn_pace = (weeks.net[first].sum(axis=1) + shift * counterfactual) / days
    whole = int(weeks.net.sum()) + shift * int(weeks.counterfactual.sum())
    pace = whole / int(weeks.length.sum())
    own_pace = pace + widening(count) * (drawn_pace - pace)
    week = np.take_along_axis(first, draws.indices(count, PATHS, ahead), axis=1)
    length = weeks.length[week]
    amount = weeks.net[week] + shift[:, None] * weeks.counterfactual[week]
    off = (amount - drawn_pace[:, None] * length) * (count / (count - 1))
    return length, weeks.worked[week], _whole(own_pace[:, None] * length + off)


def _training_days(case: Case) -> Whole:
    """Returns, for each week's end, how many days of training are over by then."""
    days = np.arange(WEEKS + 1) * DAYS
    return days if case.left is None else np.minimum(days, max(case.left, 0))


def _current(ends: Whole, days: Whole) -> Whole:
    """Counts how many drawn weeks of each simulation have ended by each given day (ascending)."""
    slots = len(days) + 1
    over = np.searchsorted(days, ends) + slots * np.arange(len(ends))[:, None]
    counted = np.bincount(over.ravel(), minlength=slots * len(ends))
    return np.asarray(counted.reshape(len(ends), slots).cumsum(axis=1)[:, : slots - 1])


def _whole(values: Real) -> Whole:
    return np.rint(values).astype(np.int64)

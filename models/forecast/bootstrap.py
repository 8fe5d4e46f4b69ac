"""Draws the possible futures of a workload: a two-stage bootstrap (METHOD §6).

First the GPU runs and the weeks are drawn, which gives each of `PATHS` worlds its own baseline and
pace; then each world's future is drawn from its weeks. What the baseline's uncertainty changes, it
changes in the past too. One-time investment is not drawn.

Spread is widened for small samples (`interval.widening`): `benchmarks/coverage.py` shows that 80 %
of worlds lie inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.forecast.case import MICRO, Case
from models.forecast.draws import Draws, Real, Whole
from models.forecast.enough_data import stopped
from models.forecast.horizon import DAYS, WEEKS
from models.forecast.interval import widening
from models.forecast.training_weeks import TrainingWeeks, training_weeks

PATHS = 1000
NO_WORLDS: Whole = np.empty((0, WEEKS + 1), dtype=np.int64)


@dataclass(frozen=True)
class Paths:
    """`PATHS` worlds: cumulative net by world and week; per epoch and world, what it saves.

    `net` has no worlds where nobody asked for it. `gpu` is how far the GPU baseline is off what was
    measured, as a fraction of it; `trn` what an epoch costs on Trainium, in millionths of a dollar
    as `saving` is. The portfolio has neither.
    """

    net: Whole
    saving: Real
    gpu: Real | None = None
    trn: Real | None = None


def paths(case: Case, *, ahead: bool = True) -> Paths:
    """The worlds of a case that has no `shortage`; the same on every machine.

    Their savings are the same whether or not what lies `ahead` is asked for too.
    """
    draws = Draws(case.workload)
    moved, known = _baselines(case, draws), training_weeks(case)
    if ahead:
        net = _futures(case, known, moved, draws)
    else:
        net = NO_WORLDS
        draws.skip(PATHS * (len(known.length) + _horizon(case, known)))
    return Paths(net, *_savings(case, moved, draws))


def _baselines(case: Case, draws: Draws) -> Real:
    """What each world's GPU epoch costs, over what it was measured to cost, less 1."""
    gpu = case.gpu
    drawn = draws.indices(len(gpu.cost), PATHS, case.window or 0)
    cost = gpu.cost[drawn].sum(axis=1) / gpu.epochs[drawn].sum(axis=1)
    measured = int(gpu.cost.sum()) / int(gpu.epochs.sum())
    return np.asarray((cost / measured - 1) * widening(len(gpu.cost)))


def _savings(case: Case, moved: Real, draws: Draws) -> tuple[Real, Real, Real]:
    """Saving per epoch of each world, its baseline, and its cost per epoch on Trainium.

    What lineages without an epoch cost is shared by all epochs: a world without any has no ratio.
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
    saved = (1 + moved) * per_epoch(trn.counterfactual) - cost
    return saved * MICRO, moved, cost * MICRO


def _horizon(case: Case, known: TrainingWeeks) -> int:
    """How many weeks are drawn: enough to fill two years, and what has passed of the first."""
    return WEEKS + 2 + (len(case.net) - known.origin) // DAYS


def _futures(case: Case, known: TrainingWeeks, moved: Real, draws: Draws) -> Whole:
    """Cumulative net of each world (rows) at the end of each week from `cutoff` on (columns)."""
    elapsed, ahead = len(case.net) - known.origin, _horizon(case, known)
    length, worked, amount = _drawn(known, moved, draws, ahead)
    if stopped(case):
        amount = _whole(length * case.net[-case.quiet :].mean())
    past = -case.owed - int(case.net[known.origin :].sum())
    begin = past + _whole(moved * int(case.counterfactual[: known.origin].sum()))
    ends = np.cumsum(length, axis=1) - elapsed
    before = np.cumsum(amount, axis=1) - amount
    days = np.arange(WEEKS + 1) * DAYS
    at = _current(ends) + ahead * np.arange(PATHS)[:, None]
    part = (days - np.take(ends - length, at)) / np.take(worked, at)
    earned = np.take(before, at) + _whole(np.asarray(np.take(amount, at) * np.minimum(part, 1)))
    return np.asarray(begin[:, None] + earned - case.outlays)


def _drawn(
    known: TrainingWeeks, moved: Real, draws: Draws, ahead: int
) -> tuple[Whole, Whole, Whole]:
    """Each world's weeks to come: their days, days of work and amounts.

    A week's amount is the world's pace × its days, and what this week was off that pace.
    """
    count = len(known.length)
    first = draws.indices(count, PATHS, count)
    days = known.length[first].sum(axis=1)
    counterfactual = known.counterfactual[first].sum(axis=1)
    drawn_pace = (known.net[first].sum(axis=1) + moved * counterfactual) / days
    whole = int(known.net.sum()) + moved * int(known.counterfactual.sum())
    pace = whole / int(known.length.sum())
    world_pace = pace + widening(count) * (drawn_pace - pace)
    week = np.take_along_axis(first, draws.indices(count, PATHS, ahead), axis=1)
    length = known.length[week]
    amount = known.net[week] + moved[:, None] * known.counterfactual[week]
    off = (amount - drawn_pace[:, None] * length) * (count / (count - 1))
    return length, known.worked[week], _whole(world_pace[:, None] * length + off)


def _current(ends: Whole) -> Whole:
    """In which of its weeks each world is every seventh day: how many have ended by then."""
    slots = WEEKS + 2
    over = np.clip(-(-ends // DAYS), 0, slots - 1) + slots * np.arange(len(ends))[:, None]
    counted = np.bincount(over.ravel(), minlength=slots * len(ends))
    return np.asarray(counted.reshape(len(ends), slots).cumsum(axis=1)[:, : WEEKS + 1])


def _whole(values: Real) -> Whole:
    return np.rint(values).astype(np.int64)

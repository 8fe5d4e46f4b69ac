"""When a workload will break even, and how sure its saving per epoch is: 80 % intervals.

A two-stage bootstrap (METHOD §6). First the GPU runs and the weeks are drawn, which gives each of
`PATHS` worlds its own baseline and pace; then each world's future is drawn from its weeks. What the
baseline's uncertainty changes, it changes in the past too. One-time investment is not drawn.

A *week* here starts with a Trainium run and lasts until the next start at least seven days later:
seven days where training is dense, a whole cycle where it is not. So the pauses between runs vary
as they did, and neither the first nor the last week is cut. The one still running is left out
until it has lasted longer than the mean: then it says that training slows down, and where it has
lasted several times as long, that so many weeks passed: who pauses is not taken to begin again
tomorrow, and who has `stopped` not at all. A workload that loses is drawn from its newest twelve
weeks, those that its status rests on.

Amounts are whole millionths of a dollar, epochs millionths of an epoch: sums are exact in any
order. Spread is widened for small samples (`draws.widening`): `benchmarks/coverage.py` shows that
80 % of worlds lie inside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from models.forecast.draws import TAIL, Draws, Real, Whole, ranked, widening

PATHS = 1000
WEEKS = 104
"""The horizon of 24 months, at 52 weeks a year as `payback_months` has them."""
DAYS = 7
MIN_RUNS, MIN_WEEKS, MIN_CYCLES = 5, 8, 4
LOSING_WEEKS = 12
QUIET_WEEKS, QUIET_CYCLES = 12, 6
"""Without work for so many weeks, and so many times as long as from one start to the next, training
has stopped: of workloads that start runs at any time, one in 400 pauses as long."""
MICRO = 1_000_000
NOBODYS: Whole = np.empty((0, WEEKS + 1), dtype=np.int64)


@dataclass(frozen=True)
class Runs:
    """Lineages of one side: millionths of dollars and of epochs, one entry each."""

    cost: Whole
    epochs: Whole
    counterfactual: Whole


@dataclass(frozen=True)
class Case:
    """What is known of a workload on its last settled day, `cutoff`.

    `net` and `counterfactual` hold one amount a day from the cutover to `cutoff`, at the baseline
    of `cutoff`; `starts` the days (0 = cutover) on which Trainium runs began. `window` of the `gpu`
    runs stand in the baseline; None where it is a quote. `owed` is investment less net saving so
    far, `outlays` what is to be spent from then until the end of each week. For `quiet` days
    nothing has worked on Trainium: where training has `stopped`, what they cost is what is to come.
    """

    workload: str
    cutoff: date
    net: Whole
    counterfactual: Whole
    starts: Whole
    gpu: Runs
    window: int | None
    trn: Runs
    owed: int
    outlays: Whole
    losing: bool = False
    quiet: int = 0


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


@dataclass(frozen=True)
class Span:
    """An 80 % interval of the break-even date; None lies beyond the horizon."""

    low: date | None
    median: date | None
    high: date | None
    never_share: float


def shortage(case: Case) -> str | None:
    """Why there is not enough data yet, in words; None if there is."""
    if case.window is None:
        return "the baseline is a quote, not runs"
    found = (
        (len(case.gpu.cost), MIN_RUNS, "GPU runs"),
        (int(np.count_nonzero(case.trn.epochs)), MIN_RUNS, "Trainium runs"),
        (len(case.net) // DAYS, MIN_WEEKS, "weeks"),
        (len(_begins(case)), MIN_CYCLES, "weeks in which a run starts"),
    )
    short = (f"{have} of {need} {what}" for have, need, what in found if have < need)
    return next(short, None)


def stopped(case: Case) -> int:
    """Weeks without work, where they are so many that no run is to be expected; else 0."""
    begins = _begins(case)
    cycle = (begins[-1] - begins[0]) / max(len(begins) - 1, 1)
    long = case.quiet >= max(QUIET_WEEKS * DAYS, QUIET_CYCLES * cycle)
    return case.quiet // DAYS if long else 0


def paths(case: Case, *, ahead: bool = True) -> Paths:
    """The worlds of a case that has no `shortage`; the same on every machine.

    Their savings are the same whether or not what lies `ahead` is asked for too.
    """
    draws = Draws(case.workload)
    moved, known = _baselines(case, draws), _cycles(case)
    if ahead:
        net = _futures(case, known, moved, draws)
    else:
        net = NOBODYS
        draws.skip(PATHS * (len(known.length) + _horizon(case, known)))
    return Paths(net, *_savings(case, moved, draws))


def span(net: Whole, cutoff: date) -> Span:
    """When the worlds break even and stay so until the horizon."""
    days = _days(net)
    low, median, high = map(float, band(days))
    never = int(np.count_nonzero(np.isinf(days))) / len(days)
    outwards = _date(cutoff, low, floor), _date(cutoff, median, ceil), _date(cutoff, high, ceil)
    return Span(*outwards, never)


def band(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Low, median and high of the worlds, week by week where there are weeks."""
    order = np.sort(values, axis=0)
    return tuple(ranked(order, share) for share in (TAIL, 0.5, 1 - TAIL))


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


@dataclass(frozen=True)
class _Cycles:
    """Weeks of a workload: days, days until its work was done, amounts; the paths' first day."""

    length: Whole
    worked: Whole
    net: Whole
    counterfactual: Whole
    origin: int


def _begins(case: Case) -> list[int]:
    """First days of weeks that are over, or have lasted longer than the mean of those that are."""
    begins: list[int] = []
    for start in case.starts.tolist():
        if not begins or start - begins[-1] >= DAYS:
            begins.append(start)
    return begins[: -1 if _still_open(begins, len(case.net)) else None]


def _still_open(begins: list[int], today: int) -> bool:
    return bool(begins) and (today - begins[-1]) * (len(begins) - 1) < begins[-1] - begins[0]


def _edges(case: Case) -> list[tuple[int, int]]:
    """First day, and the day after the last, of each week that is drawn from."""
    begins, starts = _begins(case), case.starts.tolist()
    after = [start for start in starts if start >= begins[-1] + DAYS]
    edges = list(pairwise([*begins, *(after[:1] or _pauses(begins, len(case.net)))]))
    return edges[-LOSING_WEEKS:] if case.losing else edges


def _pauses(begins: list[int], today: int) -> list[int]:
    """Where the weeks of the one still running end: it may have lasted as long as many."""
    mean = (begins[-1] - begins[0]) // max(len(begins) - 1, 1) or today
    passed = max((today - begins[-1]) // mean, 1)
    return [*(begins[-1] + mean * number for number in range(1, passed)), today]


def _cycles(case: Case) -> _Cycles:
    edges = _edges(case)
    return _Cycles(
        length=np.array([end - begin for begin, end in edges], dtype=np.int64),
        worked=np.array([_worked(case, *edge) for edge in edges], dtype=np.int64),
        net=np.array([case.net[slice(*edge)].sum() for edge in edges], dtype=np.int64),
        counterfactual=np.array(
            [case.counterfactual[slice(*edge)].sum() for edge in edges], dtype=np.int64
        ),
        origin=edges[-1][1],
    )


def _worked(case: Case, begin: int, end: int) -> int:
    """Days from the start of a week to its last day with work."""
    busy = np.flatnonzero(case.counterfactual[begin:end])
    return int(busy[-1]) + 1 if len(busy) else 1


def _horizon(case: Case, known: _Cycles) -> int:
    """How many weeks are drawn: enough to fill two years, and what has passed of the first."""
    return WEEKS + 2 + (len(case.net) - known.origin) // DAYS


def _futures(case: Case, known: _Cycles, moved: Real, draws: Draws) -> Whole:
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


def _drawn(known: _Cycles, moved: Real, draws: Draws, ahead: int) -> tuple[Whole, Whole, Whole]:
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


def _days(net: Whole) -> Real:
    """Days until each world is above zero for good; infinite if it is not by the horizon."""
    below = net < 0
    last = WEEKS - np.argmax(below[:, ::-1], axis=1)
    rows, safe = np.arange(len(net)), np.minimum(last, WEEKS - 1)
    left, right = net[rows, safe], net[rows, safe + 1]
    crossing = DAYS * (safe - left / np.maximum(right - left, 1))
    return np.where(below.any(axis=1), np.where(below[:, -1], np.inf, crossing), 0)


def _date(cutoff: date, days: float, rounded: Callable[[float], int]) -> date | None:
    """A day after `cutoff`."""
    return None if days == float("inf") else cutoff + timedelta(days=max(1, rounded(days)))


def _whole(values: Real) -> Whole:
    return np.rint(values).astype(np.int64)

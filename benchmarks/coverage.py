"""Do 80 % intervals hold 80 % of what they are drawn for?

Each world has true costs per epoch and a true cadence. It runs for some weeks; what a bill and
progress would have shown of that is forecast; then the same world runs on. Counted is how often
its own break-even date, and its true saving per epoch, lie inside the interval.

    python benchmarks/coverage.py
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import product

import numpy as np

from models.forecast import bootstrap, interval
from models.forecast.case import MICRO, Case, Runs
from models.forecast.horizon import DAYS, WEEKS

GPU, TRN = 250.0, 180.0
"""Dollars per epoch, in truth."""
WORLDS = 500
CUTOFF = date(2026, 6, 28)
GOAL = (0.75, 0.85)


@dataclass(frozen=True)
class Kind:
    """Worlds alike: about `runs` a side in `weeks`, cost per epoch varying by `noise`.

    `cadence` says how runs start: `steady` (every so often, give or take 30 %) or `random` (at any
    time, independent of each other). Worlds with fewer than 8 runs so far are not counted.
    """

    runs: int
    weeks: int
    noise: float
    cadence: str


@dataclass(frozen=True)
class World:
    """What is known of a world, and what becomes of it."""

    case: Case
    break_even: float
    """Days from the cutoff until it is above zero for good; infinite if not by the horizon."""


def world(kind: Kind, seed: int) -> World:
    """A world of a kind."""
    random = np.random.default_rng(seed)
    while True:
        starts = np.floor(_starts(kind, random)).astype(np.int64)
        today = kind.weeks * DAYS + int(random.integers(DAYS))
        begun = starts < today
        if begun.sum() >= 8:
            break
    gpu, trn = _runs(kind, random, GPU, kind.runs), _runs(kind, random, TRN, len(starts))
    lasting = random.integers(1, 6, len(starts))
    shares = [(slice(a, a + d), d) for a, d in zip(starts, lasting, strict=True)]
    epochs, cost = np.zeros(_end(kind) + 60), np.zeros(_end(kind) + 60)
    for (days, spread), run_epochs, run_cost in zip(shares, *trn, strict=True):
        epochs[days] += run_epochs / spread
        cost[days] += run_cost / spread
    done = np.minimum((today - starts[begun]) / lasting[begun], 1)
    week = (GPU - TRN) * 6 * kind.runs / kind.weeks
    upkeep, invested = 0.1 * week, week * 0.9 * (kind.weeks + 26)
    measured = gpu[1].sum() / gpu[0].sum()
    past = slice(0, today)
    counterfactual = _micro(measured * epochs[past])
    net = counterfactual - _micro(cost[past] + upkeep / DAYS)
    case = Case(
        workload=f"{kind} {seed}",
        cutoff=CUTOFF,
        net=net,
        counterfactual=counterfactual,
        starts=starts[begun],
        gpu=Runs(_micro(gpu[1]), _micro(gpu[0]), _micro(0 * gpu[0])),
        window=kind.runs,
        trn=_known(trn[0][begun] * done, trn[1][begun] * done, measured),
        owed=int(invested * MICRO) - int(net.sum()),
        spending=np.zeros(WEEKS + 1, dtype=np.int64),
    )
    truth = np.cumsum(GPU * epochs - cost - upkeep / DAYS) - invested
    return World(case, _first_for_good(truth[today - 1 : today + WEEKS * DAYS]))


def covered(kind: Kind, worlds: int) -> tuple[float, float]:
    """The share of worlds whose break-even date, and whose saving per epoch, lie inside."""
    dates = savings = 0
    for seed in range(worlds):
        made = world(kind, seed)
        found = bootstrap.paths(made.case)
        span = interval.span(found.net, CUTOFF)
        low = (span.low - CUTOFF).days if span.low else np.inf
        high = (span.high - CUTOFF).days if span.high else np.inf
        dates += low <= max(1.0, made.break_even) <= high
        least, _, most = interval.band(found.saving)
        savings += bool(least <= (GPU - TRN) * MICRO <= most)
    return dates / worlds, savings / worlds


def kinds() -> Iterator[Kind]:
    """Every kind that is reported."""
    for cadence, runs, weeks, noise in product(
        ("steady", "random"), (8, 12, 20), (12, 26, 52), (0.05, 0.1, 0.2)
    ):
        yield Kind(runs, weeks, noise, cadence)


def main() -> None:
    """Prints the share of worlds inside, by kind of world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--worlds", type=int, default=WORLDS)
    worlds = parser.parse_args().worlds
    print(f"{worlds} worlds each; goal {GOAL[0]:.0%} to {GOAL[1]:.0%}\n")
    print(f"{'cadence':10}{'runs':>6}{'weeks':>7}{'noise':>7}{'date':>9}{'saving':>9}")
    for kind in kinds():
        dates, savings = covered(kind, worlds)
        told = f"{kind.cadence:10}{kind.runs:>6}{kind.weeks:>7}{kind.noise:>7.0%}"
        print(f"{told}{dates:>9.1%}{savings:>9.1%}", flush=True)


def _starts(kind: Kind, random: np.random.Generator) -> np.ndarray:
    """Days on which runs start, the first on day 0, until the horizon is passed."""
    gap, count = kind.weeks * DAYS / kind.runs, 4 * _end(kind) * kind.runs // (kind.weeks * DAYS)
    gaps: dict[str, Callable[[], np.ndarray]] = {
        "steady": lambda: gap * random.uniform(0.7, 1.3, count),
        "random": lambda: random.exponential(gap, count),
    }
    starts = np.concatenate([[0.0], np.cumsum(gaps[kind.cadence]())])
    return np.asarray(starts[starts < _end(kind)])


def _end(kind: Kind) -> int:
    return (kind.weeks + WEEKS + 2) * DAYS


def _runs(
    kind: Kind, random: np.random.Generator, cost: float, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Epochs and dollars of runs: 4 to 8 epochs, log-normal cost per epoch around its mean."""
    epochs = random.uniform(4, 8, count)
    width = np.sqrt(np.log1p(kind.noise**2))
    return epochs, epochs * cost * np.exp(random.normal(-(width**2) / 2, width, count))


def _known(epochs: np.ndarray, cost: np.ndarray, measured: float) -> Runs:
    return Runs(_micro(cost), _micro(epochs), _micro(measured * epochs))


def _first_for_good(cumulative: np.ndarray) -> float:
    below = np.flatnonzero(cumulative < 0)
    if not len(below):
        return 0.0
    last = int(below[-1])
    return np.inf if last == len(cumulative) - 1 else float(last + 1)


def _micro(amounts: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(amounts * MICRO).astype(np.int64))


if __name__ == "__main__":
    main()

"""Do 80 % intervals hold 80 % of what they are drawn for?

Each world has true costs per epoch and a true cadence. It runs for some weeks; what a bill and
progress would have shown of that is forecast; then the same world runs on. This counts how
often its own break-even date, and its true saving per epoch, lie inside the interval. Its truth is
what METHOD says of it with unlimited runs on each platform: the baseline rests on the latest eight
runs of the GPU platform that costs least, and on the lower of two discounts where hours are
repriced.
Where two platforms lie within two standard errors the lowest of both is too low by luck: there at
least 75 % must lie inside, and the last column tells how wide the interval of the saving is.

    python -m benchmarks.coverage
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
LATEST = 8
"""How many runs of a platform the baseline rests on."""
Sides = tuple[np.ndarray, np.ndarray]
"""Epochs and dollars of runs."""


@dataclass(frozen=True)
class Kind:
    """Worlds alike: about `runs` a side in `weeks`, cost per epoch varying by `noise`.

    `cadence` says how runs start: `steady` (every so often, give or take 30 %) or `random` (at any
    time, independent of each other). Worlds with fewer than 8 runs so far are not counted. `second`
    is by how much a second GPU platform with as many runs costs more, in standard errors of the
    mean of eight runs; None without one. `discount` is how much the discount of a GPU run varies,
    where the payer's own is known. Training `ends` so many weeks ahead; None: after the horizon.
    """

    runs: int
    weeks: int
    noise: float
    cadence: str
    second: float | None = None
    discount: float = 0.0
    ends: int | None = None

    @property
    def words(self) -> str:
        """What is special about these worlds."""
        far = f"second platform {self.second:g} SE dearer" if self.second is not None else ""
        apart = f"discounts vary by {self.discount:.0%}" if self.discount else ""
        end = f"ends in {self.ends} weeks" if self.ends else ""
        return ", ".join(filter(None, (far, apart, end)))


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
    gpu, value = _baseline(kind, random)
    trn = _runs(kind, random, TRN, len(starts))
    lasting = random.integers(1, 6, len(starts))
    shares = [(slice(a, a + d), d) for a, d in zip(starts, lasting, strict=True)]
    epochs, cost = np.zeros(_end(kind) + 60), np.zeros(_end(kind) + 60)
    for (days, spread), run_epochs, run_cost in zip(shares, *trn, strict=True):
        epochs[days] += run_epochs / spread
        cost[days] += run_cost / spread
    done = np.minimum((today - starts[begun]) / lasting[begun], 1)
    week = (GPU - TRN) * 6 * kind.runs / kind.weeks
    upkeep, invested = 0.1 * week, week * 0.9 * (kind.weeks + 26)
    past = slice(0, today)
    counterfactual = _micro(value * epochs[past])
    net = counterfactual - _micro(cost[past] + upkeep / DAYS)
    left = None if kind.ends is None else kind.ends * DAYS
    case = Case(
        workload=f"{kind} {seed}",
        cutoff=CUTOFF,
        net=net,
        counterfactual=counterfactual,
        starts=starts[begun],
        gpu=Runs(_micro(gpu[1]), _micro(gpu[0]), _micro(0 * gpu[0])),
        window=min(LATEST, kind.runs),
        trn=_known(trn[0][begun] * done, trn[1][begun] * done, value),
        owed=int(invested * MICRO) - int(net.sum()),
        spending=np.zeros(WEEKS + 1, dtype=np.int64),
        left=left,
    )
    daily = GPU * epochs - cost - upkeep / DAYS
    if left is not None:
        daily[today + left :] = 0
    truth = np.cumsum(daily) - invested
    return World(case, _first_for_good(truth[today - 1 : today + WEEKS * DAYS]))


def _baseline(kind: Kind, random: np.random.Generator) -> tuple[Sides, float]:
    """Epochs and dollars of the runs of the GPU platform that costs least, and its baseline."""
    error = kind.noise / np.sqrt(LATEST)
    dearer = [] if kind.second is None else [GPU * (1 + kind.second * error)]
    platforms = [_platform(kind, random, each) for each in (GPU, *dearer)]
    return min(platforms, key=lambda found: found[1])


def _platform(kind: Kind, random: np.random.Generator, cost: float) -> tuple[Sides, float]:
    """A platform's runs, and what METHOD says a unit costs there: the latest eight, lower factor.

    The payer's discount is what all of its hours get in the mean: its factor is 1.
    """
    epochs, hours = _runs(kind, random, cost, kind.runs)
    paid = hours * _scattered(random, kind.discount, kind.runs)
    last = slice(-LATEST, None)
    factor = min(paid[last].sum() / hours[last].sum(), 1.0) if kind.discount else 1.0
    return (epochs, paid), factor * hours[last].sum() / epochs[last].sum()


def covered(kind: Kind, worlds: int) -> tuple[float, float, float]:
    """The share of worlds whose date, and whose saving per epoch, lie inside; the median width.

    The width is that of the interval of the saving, as a share of the true saving.
    """
    dates = savings = 0
    widths = []
    for seed in range(worlds):
        made = world(kind, seed)
        found = bootstrap.paths(made.case)
        span = interval.span(found.net, CUTOFF)
        low = (span.low - CUTOFF).days if span.low else np.inf
        high = (span.high - CUTOFF).days if span.high else np.inf
        dates += low <= max(1.0, made.break_even) <= high
        assert found.saving is not None  # one kind of work, with enough runs
        least, _, most = interval.band(found.saving)
        savings += bool(least <= (GPU - TRN) * MICRO <= most)
        widths.append(float(most - least) / ((GPU - TRN) * MICRO))
    return dates / worlds, savings / worlds, float(np.median(widths))


def kinds() -> Iterator[Kind]:
    """Every kind that is reported."""
    for cadence, runs, weeks, noise in product(
        ("steady", "random"), (8, 12, 20), (12, 26, 52), (0.05, 0.1, 0.2)
    ):
        yield Kind(runs, weeks, noise, cadence)
    for cadence, runs, noise in product(("steady", "random"), (8, 20), (0.05, 0.1, 0.2)):
        for second in (4.0, 2.0, 1.0, 0.0):
            yield Kind(runs, 26, noise, cadence, second=second)
        yield Kind(runs, 26, noise, cadence, discount=0.05)
        for ends in (26, 40):
            yield Kind(runs, 26, noise, cadence, ends=ends)


def main() -> None:
    """Prints the share of worlds inside, by kind of world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--special", action="store_true", help="only platforms, discounts, ends")
    asked = parser.parse_args()
    print(f"{asked.worlds} worlds each; goal {GOAL[0]:.0%} to {GOAL[1]:.0%}\n")
    head = f"{'cadence':10}{'runs':>6}{'weeks':>7}{'noise':>7}{'date':>9}{'saving':>9}{'width':>8}"
    print(head)
    for kind in kinds():
        if asked.special and not kind.words:
            continue
        dates, savings, width = covered(kind, asked.worlds)
        told = f"{kind.cadence:10}{kind.runs:>6}{kind.weeks:>7}{kind.noise:>7.0%}"
        shares = f"{dates:>9.1%}{savings:>9.1%}{width:>8.0%}"
        print(f"{told}{shares}  {kind.words}".rstrip(), flush=True)


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
    return epochs, epochs * cost * _scattered(random, kind.noise, count)


def _scattered(random: np.random.Generator, noise: float, count: int) -> np.ndarray:
    """Log-normal factors around 1."""
    width = np.sqrt(np.log1p(noise**2))
    return np.asarray(np.exp(random.normal(-(width**2) / 2, width, count)))


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

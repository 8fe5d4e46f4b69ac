"""Defines the input of a workload's forecast: its days, its runs and what is not yet recovered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from models.forecast.draws import Whole

MICRO = 1_000_000
"""Amounts are whole millionths of a dollar or an epoch: sums are exact in any order."""


@dataclass(frozen=True)
class Runs:
    """Arrays with an entry per chain of resumed runs: cost, epochs, GPU counterfactual.

    All are in whole millionths.
    """

    cost: Whole
    epochs: Whole
    counterfactual: Whole


@dataclass(frozen=True)
class Case:
    """What the forecast of one workload is computed from, as of its last settled day `cutoff`.

    `net` and `counterfactual` have one amount a day from the cutover to `cutoff`, at the baseline
    of `cutoff`. `starts` are the days (0 = cutover) on which Trainium runs began. `window` is how
    many of the `gpu` runs the baseline is computed from; None where it is a quote. `owed` is
    investment less net saving so far. `spending` is what is planned to be spent from `cutoff` to
    the end of each week. `quiet` counts the days of `net` after the last work on Trainium, `left`
    the days after `cutoff` until training ends; None without an end.
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
    spending: Whole
    losing: bool = False
    quiet: int = 0
    left: int | None = None


def millionths(amount: Decimal) -> int:
    """Converts an amount to whole millionths, rounded half to even."""
    return int((amount * MICRO).to_integral_value())

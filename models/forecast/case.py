"""What a forecast of one workload is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from models.forecast.draws import Whole

MICRO = 1_000_000
"""Amounts are whole millionths of a dollar or an epoch: sums are exact in any order."""


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


def millionths(amount: Decimal) -> int:
    """Whole millionths of an amount, rounded half to even."""
    return int((amount * MICRO).to_integral_value())

"""Defines the input of a workload's forecast: its days, its runs and what is not yet recovered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from models.forecast.draws import Whole

Row = dict[str, Any]
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

    def only(self, kept: list[bool]) -> Runs:
        """Returns the chains of resumed runs whose entry in a list of booleans is true."""
        mask = np.array(kept, dtype=bool)
        return Runs(self.cost[mask], self.epochs[mask], self.counterfactual[mask])


@dataclass(frozen=True)
class Case:
    """What the forecast of one workload is computed from, as of its last settled day `cutoff`.

    `net` and `counterfactual` have one amount a day from the cutover to `cutoff`, at the baseline
    of `cutoff`. `starts` are the days (0 = cutover) on which Trainium runs began. `window` is how
    many of the `gpu` runs the baseline is computed from; None where it is a quote. `owed` is
    investment less net saving so far. `spending` is what is planned to be spent from `cutoff` to
    the end of each week. `quiet` counts the days of `net` after the last work on Trainium, `left`
    the days after `cutoff` until training ends; None without an end. `main` is the same with the
    runs of the main kind of work alone; None where all are.
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
    main: Case | None = None

    @property
    def of_main_kind(self) -> Case:
        """Returns the case limited to runs of the main kind of work; itself if all runs are."""
        return self.main or self


def case_of(
    standing: Row, days: Row, gpu: Row, trn: Row, spending: Whole, *, quoted: bool
) -> Case | None:
    """Builds the input of a workload's simulation from rows; None where an amount is unknown."""
    amounts = [days["net_saving"], days["counterfactual"], *_amounts(gpu), *_amounts(trn)]
    if any(None in amount for amount in amounts) or standing["cumulative_net"] is None:
        return None
    made = Case(
        workload=standing["workload"],
        cutoff=standing["cutoff"],
        net=_whole(days["net_saving"]),
        counterfactual=_whole(days["counterfactual"]),
        starts=np.flatnonzero(days["starts"]),
        gpu=Runs(*map(_whole, _amounts(gpu))),
        window=None if quoted else gpu["in_window"],
        trn=Runs(*map(_whole, _amounts(trn))),
        owed=millionths(-standing["cumulative_net"]),
        spending=spending,
        losing=standing["status"] == "losing",
        quiet=standing["quiet"] or 0,
        left=days_left(standing),
    )
    return replace(made, main=_main_kind(made, gpu, trn))


def _main_kind(case: Case, gpu: Row, trn: Row) -> Case | None:
    """Returns a case with the runs of the main kind of work alone; None where all are."""
    if all([*gpu["of_main"], *trn["of_main"]]):
        return None
    return replace(
        case,
        gpu=case.gpu.only(gpu["of_main"]),
        window=None if case.window is None else gpu["main_in_window"],
        trn=case.trn.only(trn["of_main"]),
    )


def days_left(standing: Row) -> int | None:
    """Returns how many days a workload still trains after its last settled day; None if no end."""
    ends = standing["ends"]
    return None if ends is None else max((ends - standing["cutoff"]).days, 0)


def _amounts(runs: Row) -> tuple[list[int], list[int], list[int]]:
    return runs["cost"], runs["epochs"], runs["counterfactual"]


def _whole(amounts: list[int]) -> Whole:
    return np.array(amounts, dtype=np.int64)


def millionths(amount: Decimal) -> int:
    """Converts an amount to whole millionths, rounded half to even."""
    return int((amount * MICRO).to_integral_value())

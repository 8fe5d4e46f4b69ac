"""Workloads by hand whose forecasts can be told without drawing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np

from models.forecast.case import MICRO, Case, Runs
from models.forecast.horizon import WEEKS

CUTOFF = date(2026, 6, 28)


def runs(cost: int, count: int, counterfactual: int = 0) -> Runs:
    """`count` lineages alike: two epochs for `cost` dollars each."""
    whole = np.ones(count, dtype=np.int64)
    return Runs(cost * MICRO * whole, 2 * MICRO * whole, counterfactual * MICRO * whole)


def steady(weeks: int = 8, *, owed: int = 700, earned: int = 70) -> Case:
    """Five GPU runs, and a run on each week's first day that saves `earned` of $200; no upkeep."""
    net, counterfactual = np.zeros((2, weeks * 7), dtype=np.int64)
    net[::7], counterfactual[::7] = earned * MICRO, 200 * MICRO
    return Case(
        workload="atlas-7b",
        cutoff=CUTOFF,
        net=net,
        counterfactual=counterfactual,
        starts=np.arange(0, weeks * 7, 7),
        gpu=runs(200, 5),
        window=5,
        trn=runs(200 - earned, weeks, 200),
        owed=owed * MICRO,
        spending=np.zeros(WEEKS + 1, dtype=np.int64),
    )


def quiet(weeks: int) -> Case:
    """Eight weekly runs, and then so many weeks without one."""
    case, none = steady(), np.zeros(weeks * 7, dtype=np.int64)
    net, counterfactual = (np.concatenate([each, none]) for each in (case.net, case.counterfactual))
    return replace(case, net=net, counterfactual=counterfactual, quiet=weeks * 7)

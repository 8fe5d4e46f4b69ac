"""The weeks of training that a workload's future is drawn from.

A training week starts with a Trainium run and lasts until the next start at least seven days later:
seven days where training is dense, a whole cycle where it is not. So the pauses between runs vary
as they did, and no week is cut. Example: runs that start on the days 0, 3, 7 and 21 make weeks of 7
and 14 days, and one that is still running.

The week still running is left out until it has lasted longer than the mean. Then it counts, for
training has slowed down; where it has lasted several times the mean, it counts as so many weeks. A
workload that loses is drawn from its newest twelve weeks, those that its status rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.contract.rules.recent_weeks import WEEKS as LOSING_WEEKS
from models.forecast.case import Case
from models.forecast.draws import Whole
from models.forecast.horizon import DAYS


@dataclass(frozen=True)
class TrainingWeeks:
    """The training weeks of a workload, one entry each, and `origin`, the day after the last.

    `length`: days. `worked`: days from its start to its last day with work. `net`,
    `counterfactual`: millionths of a dollar.
    """

    length: Whole
    worked: Whole
    net: Whole
    counterfactual: Whole
    origin: int


def training_weeks(case: Case) -> TrainingWeeks:
    """The weeks that a workload's future is drawn from."""
    edges = _edges(case)
    return TrainingWeeks(
        length=np.array([end - begin for begin, end in edges], dtype=np.int64),
        worked=np.array([_worked(case, *edge) for edge in edges], dtype=np.int64),
        net=np.array([case.net[slice(*edge)].sum() for edge in edges], dtype=np.int64),
        counterfactual=np.array(
            [case.counterfactual[slice(*edge)].sum() for edge in edges], dtype=np.int64
        ),
        origin=edges[-1][1],
    )


def week_starts(case: Case) -> list[int]:
    """First days of the weeks that are over, or that last longer than the mean of those."""
    begins: list[int] = []
    for start in case.starts.tolist():
        if not begins or start - begins[-1] >= DAYS:
            begins.append(start)
    return begins[: -1 if _still_open(begins, len(case.net)) else None]


def _still_open(begins: list[int], today: int) -> bool:
    return bool(begins) and (today - begins[-1]) * (len(begins) - 1) < begins[-1] - begins[0]


def _edges(case: Case) -> list[tuple[int, int]]:
    """First day, and the day after the last, of each week that is drawn from."""
    begins, starts = week_starts(case), case.starts.tolist()
    after = [start for start in starts if start >= begins[-1] + DAYS]
    edges = list(pairwise([*begins, *(after[:1] or _pauses(begins, len(case.net)))]))
    return edges[-LOSING_WEEKS:] if case.losing else edges


def _pauses(begins: list[int], today: int) -> list[int]:
    """The ends of the week still running, as many as it has lasted mean weeks."""
    mean = (begins[-1] - begins[0]) // max(len(begins) - 1, 1) or today
    passed = max((today - begins[-1]) // mean, 1)
    return [*(begins[-1] + mean * number for number in range(1, passed)), today]


def _worked(case: Case, begin: int, end: int) -> int:
    """Days from the start of a week to its last day with work."""
    busy = np.flatnonzero(case.counterfactual[begin:end])
    return int(busy[-1]) + 1 if len(busy) else 1

"""Splits a workload's past into spans of a week or more, which its future is drawn from.

A training week starts with a Trainium run and lasts until the next start at least seven days later:
seven days where training is dense, a whole cycle where it is not. So the pauses between runs vary
as they did, and no week is cut. Example: runs that start on the days 0, 3, 7 and 21 make weeks of 7
and 14 days, and one that is still running.

The week still running is left out until it has lasted longer than the mean. Then it counts, for
training has slowed down; where it has lasted several times the mean, it counts as so many weeks. A
workload that loses is drawn from its newest twelve weeks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.contract.rules.recent_window import WEEKS as LOSING_WEEKS
from models.forecast.case import Case
from models.forecast.draws import Whole
from models.forecast.horizon import DAYS


@dataclass(frozen=True)
class TrainingWeeks:
    """A workload's past training weeks, from which a forecast draws the weeks to come.

    `length` is in days. `worked` counts the days from the week's start to its last day with work.
    `net` and `counterfactual` are millionths of a dollar.
    """

    length: Whole
    worked: Whole
    net: Whole
    counterfactual: Whole
    origin: int


def training_weeks(case: Case) -> TrainingWeeks:
    """Returns a past summed in spans of a week or more, mostly from one Trainium run to another."""
    edges = _week_intervals(case)
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
    """Lists start days (0 = cutover) of past spans of a week or more, without a short open one."""
    begins: list[int] = []
    for start in case.starts.tolist():
        if not begins or start - begins[-1] >= DAYS:
            begins.append(start)
    return begins[: -1 if _still_open(begins, len(case.net)) else None]


def _still_open(begins: list[int], today: int) -> bool:
    return bool(begins) and (today - begins[-1]) * (len(begins) - 1) < begins[-1] - begins[0]


def _week_intervals(case: Case) -> list[tuple[int, int]]:
    """Returns first day and end (exclusive) of training weeks; if losing, of the newest twelve."""
    begins, starts = week_starts(case), case.starts.tolist()
    after = [start for start in starts if start >= begins[-1] + DAYS]
    edges = list(pairwise([*begins, *(after[:1] or _pauses(begins, len(case.net)))]))
    return edges[-LOSING_WEEKS:] if case.losing else edges


def _pauses(begins: list[int], today: int) -> list[int]:
    """Splits the last, open span into parts of mean length; returns their end days, today last."""
    mean = (begins[-1] - begins[0]) // max(len(begins) - 1, 1) or today
    passed = max((today - begins[-1]) // mean, 1)
    return [*(begins[-1] + mean * number for number in range(1, passed)), today]


def _worked(case: Case, begin: int, end: int) -> int:
    """Counts the days from a training week's start to its last day with work, at least one."""
    busy = np.flatnonzero(case.counterfactual[begin:end])
    return int(busy[-1]) + 1 if len(busy) else 1

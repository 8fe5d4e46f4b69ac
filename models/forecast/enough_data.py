"""Decides whether a workload has enough data for a forecast, and whether its training stopped.

Fewer than 5 runs a side or 8 weeks are not enough (METHOD §6.6).
"""

from __future__ import annotations

import numpy as np

from models.forecast.case import Case
from models.forecast.horizon import DAYS
from models.forecast.training_weeks import week_starts

MIN_RUNS, MIN_WEEKS, MIN_CYCLES = 5, 8, 4
QUIET_WEEKS, QUIET_CYCLES = 12, 6
"""Training has stopped that has paused for so many weeks, and for so many times the usual time from
one start to the next. Of workloads that start runs at any time, one in 400 pauses as long."""


def shortage(case: Case) -> str | None:
    """Returns why there is too little data for a forecast, as `3 of 5 GPU runs`; None if enough."""
    if case.window is None:
        return "the baseline is a quote, not runs"
    found = (
        (len(case.gpu.cost), MIN_RUNS, "GPU runs"),
        (int(np.count_nonzero(case.trn.epochs)), MIN_RUNS, "Trainium runs"),
        (len(case.net) // DAYS, MIN_WEEKS, "weeks"),
        (len(week_starts(case)), MIN_CYCLES, "weeks in which a run starts"),
    )
    missing = (f"{have} of {need} {what}" for have, need, what in found if have < need)
    return next(missing, None)


def stopped(case: Case) -> int:
    """Returns for how many weeks training has stopped; 0 while another run is expected."""
    begins = week_starts(case)
    cycle = (begins[-1] - begins[0]) / max(len(begins) - 1, 1)
    long = case.quiet >= max(QUIET_WEEKS * DAYS, QUIET_CYCLES * cycle)
    return case.quiet // DAYS if long else 0

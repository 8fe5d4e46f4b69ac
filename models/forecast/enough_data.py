"""Whether a workload has enough data for a forecast, and whether it still trains (METHOD §6)."""

from __future__ import annotations

import numpy as np

from models.forecast.case import Case
from models.forecast.horizon import DAYS
from models.forecast.training_weeks import week_starts

MIN_RUNS, MIN_WEEKS, MIN_CYCLES = 5, 8, 4
QUIET_WEEKS, QUIET_CYCLES = 12, 6
"""Without work for so many weeks, and so many times as long as from one start to the next, training
has stopped: of workloads that start runs at any time, one in 400 pauses as long."""


def shortage(case: Case) -> str | None:
    """Why there is not enough data yet, in words; None if there is."""
    if case.window is None:
        return "the baseline is a quote, not runs"
    found = (
        (len(case.gpu.cost), MIN_RUNS, "GPU runs"),
        (int(np.count_nonzero(case.trn.epochs)), MIN_RUNS, "Trainium runs"),
        (len(case.net) // DAYS, MIN_WEEKS, "weeks"),
        (len(week_starts(case)), MIN_CYCLES, "weeks in which a run starts"),
    )
    short = (f"{have} of {need} {what}" for have, need, what in found if have < need)
    return next(short, None)


def stopped(case: Case) -> int:
    """Weeks without work, where they are so many that no run is to be expected; else 0."""
    begins = week_starts(case)
    cycle = (begins[-1] - begins[0]) / max(len(begins) - 1, 1)
    long = case.quiet >= max(QUIET_WEEKS * DAYS, QUIET_CYCLES * cycle)
    return case.quiet // DAYS if long else 0

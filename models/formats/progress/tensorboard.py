"""Converts delivered TensorBoard scalars to progress; the folder of a file names its run.

What Lightning logged for TensorBoard (`lightning` is true) has the numbers of the step and of the
epoch under way, counted from 0, as in the log of its CSVLogger: they are read alike.
"""

from __future__ import annotations

from functools import partial

from models.formats.progress import lightning, run_trackers

NAME = "tensorboard"
VIEW = run_trackers.VIEW
REQUIRED = (*run_trackers.REQUIRED, "step", "lightning")

rows = partial(run_trackers.rows, source=NAME, as_done=lightning.lightnings_as_done)
refusals = run_trackers.refusals
totals = run_trackers.totals

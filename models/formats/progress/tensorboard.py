"""Reads scalars of TensorBoard's event files as progress; the folder of a file names its run."""

from __future__ import annotations

from functools import partial

from models.formats.progress import run_trackers

NAME = "tensorboard"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
rows = partial(run_trackers.rows, source=NAME)
refusals = run_trackers.refusals
totals = run_trackers.totals

"""Reads metric histories of Weights & Biases as progress; a run's config is used like tags."""

from __future__ import annotations

from functools import partial

from models.formats.progress import run_trackers

NAME = "wandb"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
rows = partial(run_trackers.rows, source=NAME)
refusals = run_trackers.refusals
totals = run_trackers.totals

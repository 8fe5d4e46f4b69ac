"""Reads MLflow's metric histories as progress; a run's parameters are used like tags."""

from __future__ import annotations

from functools import partial

from models.formats.progress import run_trackers

NAME = "mlflow"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
rows = partial(run_trackers.rows, source=NAME)
refusals = run_trackers.refusals
totals = run_trackers.totals

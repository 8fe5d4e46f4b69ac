"""Reads MLflow's metric histories as progress; a run's parameters count as its tags."""

from __future__ import annotations

from models.formats.progress import run_trackers

NAME = "mlflow"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
rows = run_trackers.rows
refusals = run_trackers.refusals
totals = run_trackers.totals

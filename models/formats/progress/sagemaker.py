"""Reads the final metrics of SageMaker training jobs as progress."""

from __future__ import annotations

from models.formats.progress import run_trackers

NAME = "sagemaker"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
rows = run_trackers.rows
refusals = run_trackers.refusals
totals = run_trackers.totals

"""Reads the log of Transformers' Trainer: steps and epochs are those done (METHOD §3.3)."""

from __future__ import annotations

from functools import partial

from models.formats.progress import training_logs

NAME = "trainer_state"
VIEW = training_logs.VIEW
REQUIRED = training_logs.REQUIRED
rows = partial(training_logs.rows, source=NAME)
refusals = training_logs.refusals
totals = training_logs.totals

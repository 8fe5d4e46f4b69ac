"""MLflow's metric histories as progress; see `tracked`. Parameters stand beside the tags."""

from __future__ import annotations

from models.formats.progress import tracked

NAME = "mlflow"
VIEW = tracked.VIEW
REQUIRED = tracked.REQUIRED
rows = tracked.rows
refusals = tracked.refusals
totals = tracked.totals

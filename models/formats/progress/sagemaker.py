"""The last metrics of SageMaker's training jobs as progress; see `tracked`."""

from __future__ import annotations

from models.formats.progress import tracked

NAME = "sagemaker"
VIEW = tracked.VIEW
REQUIRED = tracked.REQUIRED
rows = tracked.rows
refusals = tracked.refusals
totals = tracked.totals

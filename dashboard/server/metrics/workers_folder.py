"""Makes the folder in which each worker keeps its counts, so that one answer sums them all."""

from __future__ import annotations

import os
import shutil
import tempfile

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which prometheus-client learns, when it is imported, that there are several."""


def share_counts_among_workers() -> None:
    """Makes the folder, among the system's temporary ones; before prometheus-client is imported."""
    os.environ[VARIABLE] = tempfile.mkdtemp(prefix="breakeven-metrics-")


def remove_counts(_server: object) -> None:
    """Deletes the folder; called by gunicorn when the last worker has ended."""
    shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)

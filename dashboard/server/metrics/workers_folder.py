"""Creates the folder in which workers write their counts, so that a scrape sums all of them."""

from __future__ import annotations

import os
import shutil
import tempfile

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that makes prometheus-client share counts among processes, read at import."""


def share_counts_among_workers() -> None:
    """Creates the folder of all workers' counts; call it before prometheus-client is imported."""
    os.environ[VARIABLE] = tempfile.mkdtemp(prefix="breakeven-metrics-")


def remove_counts(_server: object) -> None:
    """Deletes the folder of all workers' counts; called by gunicorn when the last one has ended."""
    shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)

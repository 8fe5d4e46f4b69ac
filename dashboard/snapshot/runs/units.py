"""Reads in which unit of work the published runs are counted (METHOD §3.4)."""

from __future__ import annotations

from dashboard.snapshot.rows import read_rows
from models.contract.errors import MissingDataError, StorageError
from models.contract.units import EPOCH, shared


def unit_of_runs() -> str | None:
    """Reads the unit of work that all runs share: epochs if none is known, None if several."""
    return _one("SELECT DISTINCT unit FROM runs")


def unit_of(workload: str) -> str | None:
    """Reads the unit of work of a workload's recipe with most Trainium cost; epochs if unknown."""
    return _one(
        "SELECT DISTINCT unit FROM baselines WHERE main AND workload = $workload", workload=workload
    )


def _one(sql: str, **parameters: object) -> str | None:
    """Returns the one unit in the rows of a query; None if several, epochs without a snapshot."""
    try:
        return shared(row["unit"] for row in read_rows(sql, **parameters))
    except (MissingDataError, StorageError):
        return EPOCH

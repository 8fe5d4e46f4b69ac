"""Reads the dimensions by which runs can be grouped and filtered, and their values."""

from __future__ import annotations

from contextlib import suppress

from flask import g

from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, read_rows
from dashboard.snapshot.runs import run_filters
from dashboard.wording.dimensions import TAG, Dimension, dimensions
from models.contract.errors import MissingDataError, StorageError

TAG_COLUMNS = "SELECT column_name FROM (DESCRIBE runs) WHERE starts_with(column_name, $tag)"
"""Tag columns that the snapshot has of runs."""


def known_dimensions() -> dict[str, Dimension]:
    """Maps key to dimension of the snapshot's runs; without a snapshot, of all that are no tags.

    A page needs them many times, so a request reads the columns of a snapshot once.
    """
    with suppress(MissingDataError, StorageError):
        snapshot = data_context().mark
        held = g.get("dimensions")
        if held is None or held[0] != snapshot:
            named = [str(row["column_name"]) for row in read_rows(TAG_COLUMNS, tag=TAG)]
            held = g.dimensions = snapshot, dimensions(named)
        found: dict[str, Dimension] = held[1]
        return found
    return dimensions(())


def facets() -> list[Row]:
    """Counts runs by dimension and value, at most 200 values each; empty without a snapshot.

    Dimensions in which the charges of one run may differ are left out.
    """
    with suppress(MissingDataError, StorageError):
        return read_rows(run_filters.facets([*known_dimensions().values()]))
    return []


def any_allocated() -> bool:
    """Returns whether allocations, not tags, identify at least one run of the snapshot."""
    with suppress(MissingDataError, StorageError):
        return bool(read_rows("SELECT 1 FROM runs WHERE identified_by = 'allocation' LIMIT 1"))
    return False

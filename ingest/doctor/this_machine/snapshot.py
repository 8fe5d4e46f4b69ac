"""Checks whether this version can read the published snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, State, finding_of
from models.contract.errors import MissingDataError

NAME = "snapshot"


def check_snapshot(exam: Examination) -> Iterator[Finding]:
    """Reports whether the published snapshot can be read, as `skipped` where there is none."""
    error = None if exam.unwritable else exam.snapshot_error()
    if error is not None:
        state: State = "skipped" if isinstance(error, MissingDataError) else "blocks"
        yield finding_of(NAME, "published", error, state)
        return
    for row in exam.snapshot_rows("SELECT as_of, settled_through FROM snapshot") or []:
        found = f"of {row['as_of']}, settled through {row['settled_through']}"
        yield Finding(NAME, "published", "ok", found)

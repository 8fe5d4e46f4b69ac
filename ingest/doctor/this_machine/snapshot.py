"""Whether a snapshot is published that this version can read; the next checks read it."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Patient
from ingest.doctor.finding import Finding, State, refused
from models.contract.errors import MissingDataError

NAME = "snapshot"


def check(patient: Patient) -> Iterator[Finding]:
    """One finding."""
    error = None if patient.homeless else patient.published()
    if error is not None:
        state: State = "skipped" if isinstance(error, MissingDataError) else "blocks"
        yield refused(NAME, "published", error, state)
        return
    for row in patient.rows("SELECT as_of, settled_through FROM snapshot") or []:
        found = f"of {row['as_of']}, settled through {row['settled_through']}"
        yield Finding(NAME, "published", "ok", found)

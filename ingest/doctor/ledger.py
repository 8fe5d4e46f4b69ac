"""The ledger of paid requests: lines that nobody can read, which the daily cap counts in full."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import requests
from ingest.doctor.finding import Finding
from ingest.doctor.patient import Patient

NAME = "ledger"


def check(patient: Patient) -> Iterator[Finding]:
    """A finding per damaged line; none where all is well, or nothing was ever paid for."""
    path = patient.settings.data / requests.FILE
    for number in requests.damaged(path):
        found = f"line {number} is damaged: {requests.COUNTS}"
        yield Finding(NAME, str(path), "warning", found, requests.REMEDY)

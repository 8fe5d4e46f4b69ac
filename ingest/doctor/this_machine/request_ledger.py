"""The ledger of paid requests: lines that nobody can read, which the daily cap counts in full."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from ingest.paid_requests import ledger

NAME = "ledger"


def check(exam: Examination) -> Iterator[Finding]:
    """A finding per damaged line; none where all is well, or nothing was ever paid for."""
    path = exam.settings.data / ledger.FILE
    for number in ledger.damaged_lines(path):
        found = f"line {number} is damaged: {ledger.COUNTS}"
        yield Finding(NAME, str(path), "warning", found, ledger.REMEDY)

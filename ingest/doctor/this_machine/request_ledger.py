"""Checks the ledger of paid requests for unreadable lines; each counts as $0.01 spent."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from ingest.paid_requests import ledger

NAME = "ledger"


def check_request_ledger(exam: Examination) -> Iterator[Finding]:
    """Warns of damaged lines in the ledger of paid AWS requests."""
    path = exam.settings.data / ledger.FILE
    for number in ledger.damaged_lines(path):
        found = f"line {number} is damaged: {ledger.COUNTS}"
        yield Finding(NAME, str(path), "warning", found, ledger.REMEDY)

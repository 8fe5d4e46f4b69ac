"""Reads which dollars wait for a bill or for allocations, as every page says it. METHOD §1.1."""

from __future__ import annotations

from dashboard.snapshot import portfolio
from dashboard.snapshot.rows import read_rows
from models.documents import unsettled_spend
from models.documents.unsettled_spend import Waiting


def waiting() -> Waiting:
    """Reads which dollars of the company wait, of all days; nothing for a limited scope."""
    return unsettled_spend.waiting(read_rows) if portfolio.is_whole() else Waiting()


def waiting_of_month(month: str) -> Waiting:
    """Reads which dollars and days of a month wait; nothing for a limited scope."""
    if not portfolio.is_whole():
        return Waiting()
    return unsettled_spend.waiting_of_month(read_rows, month)

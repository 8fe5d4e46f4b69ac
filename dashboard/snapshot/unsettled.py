"""Reads which dollars wait for a bill or for job allocations, as sentences. METHOD §1.1."""

from __future__ import annotations

from functools import partial

from dashboard.snapshot import portfolio
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import read_rows
from models.closing.unsettled_days import unsettled_days
from models.documents import unsettled_spend
from models.documents.paper import Paper
from models.documents.unsettled_spend import Waiting
from models.records.closes import Closes


def waiting() -> Waiting:
    """Returns sentences on the company's dollars that wait for bills or allocations; or none.

    A reader with a limited scope gets none.
    """
    return unsettled_spend.waiting(read_rows) if portfolio.is_whole() else Waiting()


def waiting_of_workload(workload: str) -> Waiting:
    """Returns sentences on the dollars that wait on days which a workload does not count yet.

    Nothing for a limited scope.
    """
    if not portfolio.is_whole():
        return Waiting()
    return unsettled_spend.waiting_of_workload(partial(read_rows, workload=workload))


def waiting_of_month(month: str) -> Waiting:
    """Returns which days and dollars of a month wait; of a closed month, as when it was closed.

    For a limited scope as it is now, and only how many days its workloads do not count yet.
    """
    closed = portfolio.is_whole() and Closes(data_context().company.data).versions(month)
    if closed:
        return Paper(closed[-1].statement, closed[-1]).waiting
    return unsettled_spend.waiting_of_month(unsettled_days(read_rows, month))

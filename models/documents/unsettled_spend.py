"""Says which dollars are not counted yet, on which days, and why, in one wording (METHOD §1.1).

The dollars are the rows of the mart `unsettled_spend`. What waits for a cluster's allocations may
wait for ever, so it stands beside every verdict; what waits for the rest of a bill is the last few
days of each bill, and makes the verdict on its months one on a part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from models.contract.page_text import count, day, dollars

Row = Mapping[str, Any]
Ask = Callable[[str], Sequence[Row]]
"""Runs a SQL query on the published snapshot and returns its rows."""
SUMS = """
SELECT waits_for, CASE WHEN count(*) = count(cost) THEN sum(cost) END AS cost,
    count(*) AS days, min(date) AS first, max(date) AS last
FROM unsettled_spend {} GROUP BY waits_for"""
OF_WORKLOAD = """
WHERE date IN (SELECT date FROM savings_daily WHERE workload = $workload AND NOT settled)"""
CAUSES = {
    "allocations": ("of shared machines", "waits for allocations and is in no figure yet"),
    "workload_day": (
        "more of workloads that share machines",
        "waits for allocations, too, and is in no run's cost and no saving yet",
    ),
    "bill": ("delivered so far", "waits for the rest of the bill and is in no figure yet"),
}
"""What dollars wait for → what they are of, and the words for it."""


@dataclass(frozen=True)
class Waiting:
    """Sentences on dollars that a result lacks, one per missing input; empty where none is missing.

    `days` are those of a month that are not counted, by workload and in all (`(portfolio)`).
    """

    allocations: str = ""
    bill: str = ""
    days: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Returns the sentences joined; empty where no dollars are missing."""
        return " ".join(filter(None, (self.allocations, self.bill)))


def waiting(ask: Ask) -> Waiting:
    """Reads all dollars not counted yet, and returns them as sentences."""
    return _sentences(ask(SUMS.format("")))


def waiting_of_workload(ask: Ask) -> Waiting:
    """Reads dollars not counted yet on days that `$workload` lacks, and returns sentences."""
    return _sentences(ask(SUMS.format(OF_WORKLOAD)))


def waiting_of_month(unsettled: Sequence[Row]) -> Waiting:
    """Returns sentences on a month's uncounted dollars, from its statement's `unsettled` rows."""
    days = {row["workload"]: row["days"] for row in unsettled if row["waits_for"] is None}
    return replace(_sentences([row for row in unsettled if row["waits_for"]]), days=days)


def _sentences(sums: Iterable[Row]) -> Waiting:
    sentences = {row["waits_for"]: _sentence(row) for row in sums}
    shared = filter(None, (sentences.get("allocations"), sentences.get("workload_day")))
    return Waiting(" ".join(shared), sentences.get("bill", ""))


def _sentence(row: Row) -> str:
    of, waits = CAUSES[row["waits_for"]]
    return f"{_amount(row['cost'])} {of} {_days(row)} {waits}."


def _amount(cost: Decimal | None) -> str:
    return "An unknown cost" if cost is None else dollars(cost)


def _days(row: Row) -> str:
    """Returns the days as text: one day, a whole range, or a number of days within a range."""
    first, last = row["first"], row["last"]
    if row["days"] == 1:
        return f"on {day(first)}"
    named = f"on {count(row['days'], 'day')}"
    if row["days"] == (last - first).days + 1:
        return f"{named} ({day(first)} to {day(last)})"
    return f"{named} between {day(first)} and {day(last)}"

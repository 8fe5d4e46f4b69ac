"""The words of a letter: the month, adjustments of closed months, what a version changed."""

from __future__ import annotations

from decimal import Decimal

from models.closing.differences import differences
from models.contract.schema import PORTFOLIO
from models.documents.wording import dollars, reservation, sentence
from models.records.closes import Close, Closes
from models.records.statement import Row


def subject(close: Close) -> str:
    """Returns the subject of the letter for a close."""
    return f"Savings of training on Trainium, {close.month} (version {close.version})"


def digest(close: Close, closes: Closes) -> str:
    """Returns the words of the letter for a close, a few lines."""
    whole = close.statement.row(PORTFOLIO)
    lines = [
        sentence(close.month, whole),
        reservation(whole),
        *_moved(close.statement.tables["adjustments"]),
        *_reopened(close, closes),
        f"Closed by {close.closed_by} at {close.closed_at}. SHA-256 {close.statement.sha256}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _moved(rows: list[Row]) -> list[str]:
    """Returns a line per closed month whose net saving was adjusted."""
    return [
        f"{row['month']} is adjusted by {dollars(row['amount'])} net saving: {row['cause']}."
        for row in rows
        if (row["workload"], row["measure"]) == (PORTFOLIO, "net_saving")
    ]


def _reopened(close: Close, closes: Closes) -> list[str]:
    before = [old for old in closes.versions(close.month) if old.version < close.version]
    if not before:
        return []
    count = Decimal(sum(1 for _ in differences(before[-1].statement, close.statement)))
    return [f"{count} figures differ from version {before[-1].version}: {close.reason}."]

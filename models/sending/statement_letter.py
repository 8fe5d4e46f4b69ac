"""Writes the text of the letter on a closed month: savings, adjustments, changes by version."""

from __future__ import annotations

from dataclasses import replace

from models.closing.statement_differences import differences
from models.contract.decimal_text import dollars
from models.contract.page_text import count
from models.contract.schema import PORTFOLIO
from models.documents.wording import AS_STATED, plain_cause, reservation, sentence
from models.records.adjustment_amounts import SIGNS
from models.records.closes import Close, Closes
from models.records.statement import Row

AS_LETTER = replace(AS_STATED, reasons="its statement says why")


def subject(close: Close) -> str:
    """Returns the mail subject for the statement of a closed month."""
    return f"Savings of training on Trainium, {close.month} (version {close.version})"


def statement_letter(close: Close, closes: Closes) -> str:
    """Returns the text of the letter that goes with a closed month's statement, a few lines."""
    whole = close.statement.row(PORTFOLIO)
    lines = [
        sentence(close.month, whole, AS_LETTER),
        reservation(whole),
        *_moved(close.statement.tables["adjustments"]),
        *_reopened(close, closes),
        f"Closed by {close.closed_by} at {close.closed_at}. SHA-256 {close.statement.sha256}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _moved(rows: list[Row]) -> list[str]:
    """Returns a text per closed month's adjusted saving or investment: amount and cause."""
    return [
        f"{row['month']} is adjusted by {dollars(row['amount'])} "
        f"{row['measure'].replace('_', ' ')}: {plain_cause(row['cause'])}."
        for row in rows
        if row["workload"] == PORTFOLIO and row["measure"] in SIGNS
    ]


def _reopened(close: Close, closes: Closes) -> list[str]:
    before = [old for old in closes.versions(close.month) if old.version < close.version]
    if not before:
        return []
    different = sum(1 for _ in differences(before[-1].statement, close.statement))
    differ = f"{count(different, 'figure')} {'differs' if different == 1 else 'differ'}"
    return [f"{differ} from version {before[-1].version}: {close.reason}."]

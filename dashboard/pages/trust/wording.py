"""Says in one sentence whether the numbers can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dashboard.wording.format import cents, count, day, month_name, percent
from models.contract.edition import EDITION

Row = dict[str, Any]
EDITION_NOTE = (
    f"Computed by edition {EDITION} of the method. A month that an earlier edition closed stays as "
    "it was closed; what the method changed since is a separate adjustment on Finance."
)


def trust_sentence(snapshot: Row, months: Sequence[Row], untagged: Row, waits: str) -> str:
    """Says how far the bill is complete, whether it ties, and what waits for allocations."""
    through = f"The bill is complete through {day(snapshot['settled_through'])}"
    return " ".join(filter(None, (f"{through}; {_ties(months)}{_names(untagged)}.", waits)))


def open_months(months: Sequence[Row]) -> list[Row]:
    """Returns the months in which an account's bill is a cent or more off its cost buckets."""
    return [row for row in months if row["unheld"]]


def checked_alone(months: Sequence[Row]) -> int:
    """Counts the months in which an account's bill is compared only with the export's own sum."""
    return sum("self_check" in row["sources"] for row in months)


def _ties(months: Sequence[Row]) -> str:
    if not months:
        return "there is no bill for this date range"
    off = open_months(months)
    if not off:
        return f"every cent of {count(len(months), 'month')} is in a bucket"
    worst = max(off, key=lambda row: row["unheld"])
    return (
        f"a remainder is left in {len(off)} of {count(len(months), 'month')}, the largest "
        f"${cents(worst['unheld'])} in {month_name(worst['month'])}"
    )


def _names(untagged: Row) -> str:
    cost = untagged.get("cost", Decimal(0))
    if cost is None:
        return "; which part of accelerator spend names no workload is unknown"
    if not cost:
        return ""
    share = (untagged["untagged"] or Decimal(0)) / cost
    return f"; {percent(share, 1)} of accelerator spend names no workload"

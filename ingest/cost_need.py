"""What one month of Cost Explorer takes at least, and whether a day's cap can ever pay for it.

A month is read whole or not at all. A cap below that buys pages every day and no month, for ever:
so such a month is not begun. What a month takes is known when its requests are, and better once the
cap has cut them off; it is noted, so that the next day asks for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ingest.cost_pages import PRICE
from ingest.kept import Kept
from models.errors import BudgetError

LEAST = 3
"""Its totals, its record types, and its days."""


@dataclass(frozen=True)
class Need:
    """Of one account's bill; `cap` is in dollars a day."""

    name: str
    kept: Kept
    cap: Decimal

    def refuse(self, month: str, requests: int = 0) -> None:
        """Raises `BudgetError` where `requests`, or what is noted, is more than a day pays for."""
        notes = self.kept.notes
        needed = max(requests, notes.get(month, 0))
        if needed * PRICE <= self.cap:
            return
        if requests > notes.get(month, 0):
            self.kept.note({**notes, month: requests})
        raise BudgetError(
            f"{self.name}: {month} takes {needed} paid requests or more, and no day pays for them",
            value=f"${needed * PRICE}, with cost.api_budget_usd_per_day at ${self.cap}",
            remedy=f"set it to {needed * PRICE} or more; waiting does not help",
        )

    def met(self, months: Sequence[str]) -> None:
        """Forgets months that were read."""
        notes = self.kept.notes
        left = {month: requests for month, requests in notes.items() if month not in months}
        if left != notes:
            self.kept.note(left)

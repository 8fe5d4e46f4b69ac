"""What one month of Cost Explorer takes at least, and whether a day's cap can ever pay for it.

A month that AWS still changes is one picture: it is read whole on one day or not at all, so a cap
below that buys pages every day and no month, for ever. A month that stands still may be read over
many days, answer by answer; only one answer has to be paid for on one day, because AWS lets its
tokens expire. What no day pays for is not begun. What a month takes is known when its requests are,
and better once the cap has cut them off; it is noted, so that the next day asks for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ingest.paid_requests.ledger import format_count
from ingest.paid_requests.response_cache import ResponseCache
from ingest.sources.cost_explorer.pages import PRICE
from models.contract.errors import BudgetError

LEAST = 3
"""Its totals, its record types, and its days."""
SINGLY = "one month at a time, up to this many requests a day"


@dataclass(frozen=True)
class Need:
    """Of one account's bill; `cap` is in dollars a day."""

    name: str
    cache: ResponseCache
    cap: Decimal

    @property
    def a_day(self) -> int:
        """Requests that a day pays for."""
        return int(self.cap // PRICE)

    def of(self, month: str) -> int:
        """What is noted of a month; 0 where nothing is."""
        return self.cache.notes.get(month, 0)

    def pays(self, month: str, requests: int) -> bool:
        """Whether a day pays for `requests`, and for what is noted."""
        return max(requests, self.of(month)) <= self.a_day

    def refuse(self, month: str, requests: int) -> None:
        """Raises `BudgetError` where `requests`, or what is noted, is more than a day pays for."""
        if self.pays(month, requests):
            return
        self.note([month], requests)
        raise self.refusal(month, requests)

    def refusal(self, month: str, requests: int) -> BudgetError:
        """What to say of a month that no day pays for."""
        needed = max(requests, self.of(month))
        return BudgetError(
            f"{self.name}: {month} takes {format_count(needed)} or more, and no day pays for them",
            value=f"${needed * PRICE}, with cost.api_budget_usd_per_day at ${self.cap}",
            remedy=f"set it to {needed * PRICE} or more; waiting does not help",
        )

    def wait(self, month: str, requests: int, left: Decimal) -> None:
        """Raises `BudgetError` where `requests` are more than what is `left` of today pays for."""
        if requests * PRICE > left:
            more = format_count(requests, "more paid request")
            raise BudgetError(
                f"{self.name}: {month} takes {more} at least",
                value=f"${requests * PRICE}, and cost.api_budget_usd_per_day leaves ${left} today",
                remedy="raise it, or wait for tomorrow (UTC)",
            )

    def note(self, months: Sequence[str], requests: int) -> None:
        """Says what each takes."""
        notes = self.cache.notes
        self.cache.set_notes(
            {**notes, **{month: max(requests, self.of(month)) for month in months}}
        )

    @property
    def singly(self) -> bool:
        """Whether a cap no higher than this one has cut off months that were read together."""
        return self.a_day <= self.cache.notes.get(SINGLY, 0)

    def take_singly(self) -> None:
        """Notes that it has."""
        self.cache.set_notes({**self.cache.notes, SINGLY: self.a_day})

    def met(self, months: Sequence[str]) -> None:
        """Forgets months that were read."""
        notes = self.cache.notes
        left = {month: requests for month, requests in notes.items() if month not in months}
        if left != notes:
            self.cache.set_notes(left)

"""Works out what one month of Cost Explorer costs at least, and whether a day's cap can pay for it.

A month that AWS still changes must be read whole on one day; a cap below its cost would buy pages
every day and never a month. A settled month may be read over many days, answer by answer; only each
single answer must fit into one day, because AWS lets page tokens expire. What no day pays for is
not begun. The cost of a month is known once its requests are, and better once the cap has cut them
off; it is noted on disk, so that the next day does not pay to find out again.
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
ONE_MONTH_AT_A_TIME = "one month at a time, up to this many requests a day"


@dataclass(frozen=True)
class MinimumBudget:
    """What the months of one account's bill take at least; `cap` is in dollars per day."""

    name: str
    cache: ResponseCache
    cap: Decimal

    @property
    def requests_per_day(self) -> int:
        """The number of requests that a day's cap pays for."""
        return int(self.cap // PRICE)

    def noted(self, month: str) -> int:
        """Returns the requests noted for a month; 0 where none are."""
        return self.cache.notes.get(month, 0)

    def pays_for(self, month: str, requests: int) -> bool:
        """Whether a day's cap pays for `requests`, and for the requests noted for the month."""
        return max(requests, self.noted(month)) <= self.requests_per_day

    def refuse(self, month: str, requests: int) -> None:
        """Notes the requests of a month, and raises `BudgetError`, where no day pays for them."""
        if self.pays_for(month, requests):
            return
        self.note([month], requests)
        raise self.refusal(month, requests)

    def refusal(self, month: str, requests: int) -> BudgetError:
        """Returns the error for a month that no day pays for."""
        needed = max(requests, self.noted(month))
        return BudgetError(
            f"{self.name}: {month} takes {format_count(needed)} or more, and no day pays for them",
            value=f"${needed * PRICE}, with cost.api_budget_usd_per_day at ${self.cap}",
            remedy=f"set it to {needed * PRICE} or more; waiting does not help",
        )

    def refuse_today(self, month: str, requests: int, left: Decimal) -> None:
        """Raises `BudgetError` where `requests` cost more than is `left` of today's cap."""
        if requests * PRICE > left:
            more = format_count(requests, "more paid request")
            raise BudgetError(
                f"{self.name}: {month} takes {more} at least",
                value=f"${requests * PRICE}, and cost.api_budget_usd_per_day leaves ${left} today",
                remedy="raise it, or wait for tomorrow (UTC)",
            )

    def note(self, months: Sequence[str], requests: int) -> None:
        """Notes how many requests each of the months takes."""
        notes = self.cache.notes
        self.cache.set_notes(
            {**notes, **{month: max(requests, self.noted(month)) for month in months}}
        )

    @property
    def one_month_at_a_time(self) -> bool:
        """Whether months must be read singly: a cap at least this high cut them off together."""
        return self.requests_per_day <= self.cache.notes.get(ONE_MONTH_AT_A_TIME, 0)

    def set_one_month_at_a_time(self) -> None:
        """Notes that the present cap cuts off months that are read together."""
        self.cache.set_notes({**self.cache.notes, ONE_MONTH_AT_A_TIME: self.requests_per_day})

    def forget(self, months: Sequence[str]) -> None:
        """Removes the notes of months that have been read."""
        notes = self.cache.notes
        left = {month: requests for month, requests in notes.items() if month not in months}
        if left != notes:
            self.cache.set_notes(left)

"""Computes the least that a month of Cost Explorer costs, and whether a daily cap can pay it.

A month that AWS still changes must be read whole on one day; a cap below its cost would buy pages
every day and never a month. A settled month may be read over many days, answer by answer; only each
single answer must fit into one day, because AWS lets page tokens expire. A read that no daily cap
pays for is not begun. The cost of a month is known once its requests are, and better once the cap
has cut them off; it is noted on disk, so that the next day does not pay to learn it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ingest.paid_requests.ledger import format_count
from ingest.paid_requests.response_cache import ResponseCache
from ingest.sources.bill.cost_explorer.pages import PRICE
from models.contract.errors import BudgetError

LEAST = 3
"""Requests of any month: its totals, its record types, and its days."""
ONE_MONTH_AT_A_TIME = "one month at a time, up to this many requests a day"


@dataclass(frozen=True)
class MinimumBudget:
    """Compares what a month costs in Cost Explorer at least with what the daily cap pays for."""

    name: str
    cache: ResponseCache
    cap: Decimal

    @property
    def requests_per_day(self) -> int:
        """The number of Cost Explorer requests that a day's cap pays for."""
        return int(self.cap // PRICE)

    def noted(self, month: str) -> int:
        """Returns how many requests a month is noted to take at least; 0 without a note."""
        return self.cache.notes.get(month, 0)

    def pays_for(self, month: str, requests: int) -> bool:
        """Whether a day's cap pays for all the requests that a month of the bill takes."""
        return max(requests, self.noted(month)) <= self.requests_per_day

    def refuse(self, month: str, requests: int) -> None:
        """Raises `BudgetError` if a day's cap cannot pay for a month, and notes its requests."""
        if self.pays_for(month, requests):
            return
        self.note([month], requests)
        raise self.refusal(month, requests)

    def refusal(self, month: str, requests: int) -> BudgetError:
        """Returns the error for a month of the bill that the daily cap cannot pay for."""
        needed = max(requests, self.noted(month))
        return BudgetError(
            f"{self.name}: {month} takes {format_count(needed)} or more, beyond the daily cap",
            value=f"${needed * PRICE}, with cost.api_budget_usd_per_day at ${self.cap}",
            remedy=f"set it to {needed * PRICE} or more; waiting does not help",
        )

    def refuse_today(self, month: str, requests: int, left: Decimal) -> None:
        """Raises `BudgetError` where a month's requests cost more than is left of today's cap."""
        if requests * PRICE > left:
            more = format_count(requests, "more paid request")
            raise BudgetError(
                f"{self.name}: {month} takes {more} at least",
                value=f"${requests * PRICE}, and cost.api_budget_usd_per_day leaves ${left} today",
                remedy="raise it, or wait for tomorrow (UTC)",
            )

    def note(self, months: Sequence[str], requests: int) -> None:
        """Notes on disk how many Cost Explorer requests each of the months takes at least."""
        notes = self.cache.notes
        self.cache.set_notes(
            {**notes, **{month: max(requests, self.noted(month)) for month in months}}
        )

    @property
    def one_month_at_a_time(self) -> bool:
        """Whether the daily cap is known to be too low to read several months together."""
        return self.requests_per_day <= self.cache.notes.get(ONE_MONTH_AT_A_TIME, 0)

    def set_one_month_at_a_time(self) -> None:
        """Notes on disk that the present cap is too low to read several months together."""
        self.cache.set_notes({**self.cache.notes, ONE_MONTH_AT_A_TIME: self.requests_per_day})

    def forget(self, months: Sequence[str]) -> None:
        """Removes the notes on the requests of the given months."""
        notes = self.cache.notes
        left = {month: requests for month, requests in notes.items() if month not in months}
        if left != notes:
            self.cache.set_notes(left)

"""Reads several Cost Explorer months by day in one answer, as many as the daily cap pays for.

Where the cap cuts off months that are settled (AWS no longer changes them), the next day resumes
with the very same requests. A month that AWS still changes is begun only where what is left of the
day pays for all of it, and is begun anew on another day.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ingest import billing_months
from ingest.sources.bill.cost_explorer.control_totals import refuse_wrong_sums
from ingest.sources.bill.cost_explorer.lines import LinesByMonth
from ingest.sources.bill.cost_explorer.minimum_budget import MinimumBudget
from ingest.sources.bill.cost_explorer.pages import PRICE, CutOffError, ExpiredError, TooLongError
from ingest.sources.bill.cost_explorer.requests import Bill


@dataclass
class MonthTotals:
    """Billing months whose totals are read from Cost Explorer to check an export."""

    bill: Bill
    tag_totals: LinesByMonth

    @property
    def months(self) -> list[str]:
        """The months that are read from Cost Explorer, in order."""
        return sorted(self.tag_totals)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """Returns (totals, request ids) of a month, by linked account and record type."""
        return self.tag_totals[month], self.bill.answers.request_ids


@dataclass
class MonthsByDay(MonthTotals):
    """Billing months that are read by day from Cost Explorer as soon as one of them is needed.

    `settled` are the months that AWS no longer changes. `keep_for_later_day` is called where the
    read may be resumed on another day.
    """

    need: MinimumBudget
    types: Sequence[str]
    settled: Collection[str]
    keep_for_later_day: Callable[[], None]
    read: dict[str, tuple[pa.Table, list[str]]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._first = list(self.bill.answers.request_ids)
        self._most = 1 if self.need.one_month_at_a_time else len(self.tag_totals)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """Returns (lines, request ids) of a month: daily lines and totals; asks AWS if unread.

        Raises `InputError` where the days do not add up to the totals.
        """
        while month not in self.read:
            self._read(self._adjoining_months(month))
        lines, ids = self.read[month]
        refuse_wrong_sums(month, lines)
        return lines, ids

    def _read(self, months: list[str]) -> None:
        """Requests some months by day in one answer, or fewer where AWS or the cap forbids it."""
        requests_before = len(self.bill.answers.request_ids)
        while True:
            try:
                lines_by_month = self._days(months, requests_before)
                break
            except (TooLongError, ExpiredError) as error:
                if len(months) == 1:
                    raise
                months = self._fewer_months(months, error)
        ids = self._first + self.bill.answers.request_ids[requests_before:]
        self.read = {month: (lines, ids) for month, lines in lines_by_month.items()}
        self.done |= set(self.read)
        self.need.forget(months)

    def _days(self, months: list[str], requests_before: int) -> LinesByMonth:
        """Requests months by day: a table per month; notes and raises it if the cap ends it."""
        if not self._any_settled(months):
            self._refuse_unaffordable(months[-1])
        try:
            return self.bill.days(months, self.tag_totals, self.types)
        except CutOffError as error:
            self._note_cut_off(months, len(self.bill.answers.request_ids) - requests_before, error)
            raise

    def _refuse_unaffordable(self, newest: str) -> None:
        """Raises `BudgetError` where the rest of today's cap does not pay for a month's days."""
        parts, first = len(self.bill.parts([newest], self.tag_totals, self.types)), len(self._first)
        if not self.settled:
            self.need.refuse(newest, first + parts)
        left = self.bill.answers.meter.ledger.left
        needed = max(parts, self.need.noted(newest) - first)
        if needed * PRICE > left:
            self._resume_later()
        self.need.refuse_today(newest, needed, left)

    def _resume_later(self) -> None:
        """Stores paid answers for another day, or may note that months are to be read singly.

        The note is made where paid requests showed that the months are too long to read together,
        so that they are not paid for again.
        """
        if self.settled:
            self.keep_for_later_day()
        elif not self.done and len(self.bill.answers.request_ids) > len(self._first):
            self.need.set_one_month_at_a_time()

    def _note_cut_off(self, months: list[str], paid: int, error: CutOffError) -> None:
        """Stores a cut-off read, or notes its cost; `BudgetError` if no day's cap can pay it."""
        if self.settled:
            self.keep_for_later_day()
        if len(months) > 1:
            if not self._any_settled(months) or error.pages > self.need.requests_per_day:
                self.need.set_one_month_at_a_time()
        elif self._any_settled(months):
            self.need.refuse(months[0], error.pages)
        elif not self.settled:
            needed = len(self._first) + paid + error.to_come
            self.need.refuse(months[0], needed)
            self.need.note(months, needed)

    def _any_settled(self, months: Sequence[str]) -> bool:
        """Whether some months are settled, so that their paid answers stay valid on another day."""
        return any(month in self.settled for month in months)

    def _fewer_months(self, months: list[str], error: TooLongError | ExpiredError) -> list[str]:
        """Returns fewer months: without the oldest if AWS lacks it, else what the cap pays."""
        if isinstance(error, ExpiredError):
            return months[1:]
        self._most = max(1, min(error.days // 31, len(months) - 1))
        newest = months[-self._most :]
        return [month for month in newest if month not in self.settled] or newest

    def _adjoining_months(self, month: str) -> list[str]:
        """Returns the unread months around one without a gap, in order; at most the newest ones.

        Later months may have been sealed already by an interrupted pull, whose cached answer holds
        their days together with those of `month`.
        """
        found = [month]
        if self._most == 1:
            return found
        while self._is_unread(before := billing_months.month_before(found[0])):
            found.insert(0, before)
        while self._is_unread(after := billing_months.month_after(found[-1])):
            found.append(after)
        return found[-self._most :]

    def _is_unread(self, month: str) -> bool:
        return month in self.tag_totals and month not in self.done

"""Decides which months of an account's bill a pull reads from Cost Explorer, within the daily cap.

A read is all requests of one pull. Every decision is kept in the response cache beside the answers,
so that a resumed read decides the same (`ingest.paid_requests.response_cache`). A month is
*settled* once AWS no longer changes it: only such months may be read over several days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, partial

import pyarrow.parquet as pq

from ingest import billing_months
from ingest.source import Batch, FetchContext, Window
from ingest.sources.bill.cost_explorer import missing_tags
from ingest.sources.bill.cost_explorer.delivered_months import DeliveredMonths
from ingest.sources.bill.cost_explorer.lines import LinesByMonth
from ingest.sources.bill.cost_explorer.minimum_budget import LEAST, MinimumBudget
from ingest.sources.bill.cost_explorer.months import MonthsByDay, MonthTotals
from ingest.sources.bill.cost_explorer.pages import PRICE, CutOffError
from ingest.sources.bill.cost_explorer.requests import Bill
from models.config.settings import Settings
from models.contract.errors import BudgetError
from models.contract.rules.restatement_window import RESTATED_DAYS
from models.raw.staging import Staging

MONTHS = 13
"""Full months before the current one that Cost Explorer keeps by day."""


@dataclass
class Read:
    """Reads an account's bill from Cost Explorer: the due months that the daily cap can pay for."""

    name: str
    settings: Settings
    context: FetchContext
    bill: Bill
    is_money: bool

    def batches(self) -> list[Batch]:
        """Returns a delivery per changed month; raises `BudgetError` if the cap pays for none.

        Where the bill only checks another, all due months count as changed. The last delivery fails
        where the cap does not pay for some month.
        """
        due_now = self._due_months()
        self._end_outdated_read(due_now)
        refused = self._unaffordable(due_now)
        cache = self.context.cache
        due = cache.get_or_ask("due", lambda: [m for m in due_now if m not in refused])
        known = self.delivered.refunds
        self.bill = replace(self.bill, today=self._first_day(), known_refunds=known)
        failed = [
            Batch(self.bill.account, month, partial(_fail, self.context, error))
            for month, error in refused.items()
        ]
        return [*(self._month_batches(due, refused) if due else []), *failed[:1]]

    @cached_property
    def delivered(self) -> DeliveredMonths:
        """The months of this Cost Explorer bill that earlier pulls delivered."""
        return DeliveredMonths(self.context.zone, self.name, self.bill, self.is_money)

    @cached_property
    def budget(self) -> MinimumBudget:
        """What a month of this bill costs at least, compared with what the daily cap pays for."""
        cap = self.settings.cost.api_budget_usd_per_day
        return MinimumBudget(self.name, self.context.cache, cap)

    def _month_batches(self, due: list[str], refused: Collection[str]) -> list[Batch]:
        months = self._by_day(due, refused) if self.is_money else self._totals(due)
        return [
            Batch(self.bill.account, month, partial(_fill, months, month), empty=True)
            for month in self._in_order(months)
            if not self.is_money or self.delivered.has_changed(months.tag_totals, month)
        ]

    def _in_order(self, months: MonthTotals) -> list[str]:
        """Orders months newest first; if a day's cap pays for too few, the longest unread first."""
        newest_first = months.months[::-1]
        if not self.budget.one_month_at_a_time:
            return newest_first
        return sorted(newest_first, key=self.delivered.pulled_at)

    def _due_months(self) -> list[str]:
        """Returns the months of the bill that may have changed, or the requested ones, in order."""
        available = self._available_months()
        window = self.context.window
        if window.given:
            self.context.notices.extend(_too_old(window, billing_months.bounds(available[0])[0]))
            return [month for month in available if window.touches(month)]
        settled = _settled(available, self.settings.today)
        live = {month: self.delivered.live(month) for month in available}
        return [
            month
            for month, delivery in live.items()
            if delivery is None or month not in settled or self.delivered.is_outdated(delivery)
        ]

    def _available_months(self) -> list[str]:
        """Returns the months that Cost Explorer still has by day."""
        today = self.settings.today
        return billing_months.months(billing_months.months_before(today, MONTHS), today)

    def _end_outdated_read(self, due_now: list[str]) -> None:
        """Clears cached answers whose months AWS dropped, or of which no settled one is due."""
        cache = self.context.cache
        if not cache.from_earlier_day:
            return
        due: list[str] = cache.get_or_ask("due", list)
        forgotten = min(due, default="") < self._available_months()[0]
        if forgotten or not set(due_now).intersection(_settled(due, self._first_day())):
            cache.clear()

    def _first_day(self) -> date:
        """Returns the day on which this read of the bill began, also where a pull resumes it."""
        today = self.settings.today.isoformat
        return date.fromisoformat(self.context.cache.get_or_ask("today", today))

    def _unaffordable(self, due: list[str]) -> dict[str, BudgetError]:
        """Maps each month that the daily cap can never pay for to its error; raises if all are."""
        least = {month: self._least_requests(month) for month in reversed(due)}
        budget = self.budget
        refused = {m: budget.refusal(m, n) for m, n in least.items() if not budget.pays_for(m, n)}
        if due and len(refused) == len(due):
            raise next(iter(refused.values()))
        return refused

    def _least_requests(self, month: str) -> int:
        """Returns the least number of requests that a month of the bill takes on one day."""
        known = self.delivered.live(month)
        settled = _settled([month], self.settings.today)
        return 1 if known or settled or not self.is_money else LEAST

    def _totals(self, due: list[str]) -> MonthTotals:
        return MonthTotals(self.bill, self.bill.accounts(due))

    def _by_day(self, due: list[str], refused: Collection[str]) -> MonthTotals:
        """Requests the totals of the due months; returns the changed ones, to be read by day."""
        context, bill = self.context, self.bill
        try:
            tag_totals = bill.tag_totals(due)
            context.notices.extend(missing_tags.notices(bill, tag_totals))
            changed = [month for month in due if self.delivered.has_changed(tag_totals, month)]
            months = context.cache.get_or_ask("news", lambda: changed)
            context.unchanged.extend(month for month in due if month not in months)
            spent = any(tag_totals[month].num_rows for month in months)
            types = bill.record_types(months) if spent else []
        except CutOffError as error:
            self._note_cut_off(due, error)
            raise
        now = self._affordable_now(months, tag_totals, types)
        chosen = {month: tag_totals[month] for month in now if month not in refused}
        settled = _settled(chosen, bill.today)
        later = context.cache.keep_for_later_day
        return MonthsByDay(bill, chosen, self.budget, types, settled, later)

    def _affordable_now(
        self, months: list[str], tag_totals: LinesByMonth, types: list[str]
    ) -> list[str]:
        """Drops months that still change if today's cap cannot pay for them, too."""
        settled = _settled(months, self.bill.today)
        changing = [month for month in months if month not in settled]
        if not (settled and changing):
            return months

        def decide() -> bool:
            least = len(self.bill.parts(changing[-1:], tag_totals, types))
            return least * PRICE > self.context.ledger.left

        cache = self.context.cache
        apart = cache.get_or_ask("apart", decide)
        return settled if apart or cache.from_earlier_day else months

    def _note_cut_off(self, due: list[str], error: CutOffError) -> None:
        """Stores a read that the cap cut off, or notes its cost; `BudgetError` if never payable."""
        budget, paid = self.budget, len(self.bill.answers.request_ids)
        if _settled(due, self.bill.today) and budget.requests_per_day >= error.pages:
            if paid:
                self.context.cache.keep_for_later_day()
            return
        needed = paid + error.to_come
        if needed > budget.requests_per_day:
            budget.note(due, needed)
        budget.refuse(due[-1], needed)


def _settled(months: Iterable[str], today: date) -> list[str]:
    """Picks the months that ended over `RESTATED_DAYS` ago, which AWS rarely changes."""
    recent = f"{today - timedelta(days=RESTATED_DAYS):%Y-%m}"
    return [month for month in months if month < recent]


def _too_old(window: Window, available: date) -> list[str]:
    """Returns a notice if days were requested that AWS no longer has; else an empty list."""
    since = window.first or window.last
    if since is None or since >= available:
        return []
    return [
        f"AWS has no days before {available}, so the requested ones from {since} on are not read"
    ]


def _fail(context: FetchContext, error: BudgetError, _: Staging) -> None:
    """Clears the cached answers of the read and raises the given error."""
    context.cache.clear()
    raise error


def _fill(months: MonthTotals, month: str, staging: Staging) -> None:
    """Writes a month's Cost Explorer lines as the one Parquet file of a delivery."""
    lines, ids = months.lines(month)
    staging.request_ids += ids
    pq.write_table(lines, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=f"Cost Explorer {months.bill.account} {month}")

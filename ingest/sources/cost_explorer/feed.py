"""Cost Explorer: one account's bill by day, or only the total that an export is checked against.

`cost.source` decides which. As the money source it makes the requests by day that `requests` lists.
Beside an export, one request tells what each linked account was billed each month. Cost Explorer
lists no invoice and no resource; a data export does.

Key: the account and the whole month (a pull widens to whole months). Cursor: months not seen yet or
asked for in another way (tags, money or check), months that ended in the last `RESTATED_DAYS`, and
months that AWS last called an estimate. Of these only the ones whose totals have changed are read
by day, adjoining months in one answer. If the day's cap does not pay for all of them, fewer months
are read, the newest first (`months`). A delivered month stays, so the next day resumes where the
cap stopped. Responses that an interrupted pull paid for are read from the cache
(`ingest.paid_requests.response_cache`); a pull that resumes therefore asks about the same months,
up to the same day, as the first one did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest import aws, calendar
from ingest.paid_requests.metering import MeteredClient
from ingest.source import Batch, FetchContext, Group, Options, Window
from ingest.sources.cost_explorer import missing_tags
from ingest.sources.cost_explorer.lines import SCHEMA, Told
from ingest.sources.cost_explorer.minimum_budget import LEAST, Need
from ingest.sources.cost_explorer.months import Months, Ready
from ingest.sources.cost_explorer.pages import PRICE, Answers, CutOffError
from ingest.sources.cost_explorer.partition import REFUND
from ingest.sources.cost_explorer.requests import Bill
from models.config.settings import Settings
from models.contract.errors import BudgetError
from models.contract.rules.restatement_window import RESTATED_DAYS
from models.raw.zone import Delivery, Key, Staging

MONTHS = 13
"""Full months before the current one that Cost Explorer keeps by day."""


@dataclass(frozen=True)
class CostExplorer:
    """One account, seen with one role."""

    kind: ClassVar[str] = "cost_explorer"
    group: ClassVar[Group] = "cost"
    format: ClassVar[str] = "cost_explorer"
    accepts: ClassVar[type[Options]] = aws.Access
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: aws.Access
    settings: Settings

    @property
    def location(self) -> str:
        """The service, and the role that is assumed to read it."""
        return f"Cost Explorer of {self.options.caller_label}"

    @property
    def is_money(self) -> bool:
        """Whether the dollars are its own; else it is only the check of another source."""
        return self.settings.cost.source in (self.name, self.kind)

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """One batch per month that has news, the newest first."""
        account = aws.account(self.options)
        client = aws.client("ce", self.options)
        tags = self.settings.tags
        answers = Answers(MeteredClient(client, context.ledger, self.name, account), context.cache)
        bill = Bill(answers, account, tags.workload, tags.run, self.settings.today)
        owed = self._due(context, bill)
        self._go_on(context, owed)
        refused = self._refused(context, bill, owed)
        due = context.cache.get_or_ask("due", lambda: [m for m in owed if m not in refused])
        known = partial(self._refunds, context, bill)
        bill = replace(bill, today=self._begun(context), known=known)
        return [
            *(self._offered(context, bill, due, refused) if due else []),
            *(
                Batch(account, m, partial(_refuse, context, e))
                for m, e in list(refused.items())[:1]
            ),
        ]

    def _offered(
        self, context: FetchContext, bill: Bill, due: list[str], refused: Collection[str]
    ) -> list[Batch]:
        ready = (
            self._by_day(context, bill, due, refused) if self.is_money else self._totals(bill, due)
        )
        return [
            Batch(bill.account, month, partial(_fill, ready, month), empty=True)
            for month in self._in_turn(context, bill, ready)
            if not self.is_money or self._news(context, bill, ready.told, month)
        ]

    def _in_turn(self, context: FetchContext, bill: Bill, ready: Ready) -> list[str]:
        """The newest first; where a day does not pay for all, those that waited longest."""
        newest_first = ready.months[::-1]
        if not self._need(context).singly:
            return newest_first
        return sorted(newest_first, key=lambda month: self._pulled(context, bill, month))

    def _pulled(self, context: FetchContext, bill: Bill, month: str) -> str:
        live = context.zone.current(Key(self.name, bill.account, month))
        return live.pulled_at.isoformat() if live else ""

    def _go_on(self, context: FetchContext, owed: list[str]) -> None:
        """Ends the read of an earlier day where AWS forgot part of it, or all may have changed."""
        if not context.cache.from_earlier_day:
            return
        due: list[str] = context.cache.get_or_ask("due", list)
        forgotten = min(due, default="") < self._months()[0]
        if forgotten or not set(owed).intersection(self._still(due, self._begun(context))):
            context.cache.clear()

    def _begun(self, context: FetchContext) -> date:
        """The day of the read, which it asks about for as long as it goes on."""
        today = self.settings.today.isoformat
        return date.fromisoformat(context.cache.get_or_ask("today", today))

    def _refused(
        self, context: FetchContext, bill: Bill, owed: list[str]
    ) -> dict[str, BudgetError]:
        """Why months are not asked about: no day pays for what each takes; the newest first."""
        need = self._need(context)
        least = {month: self._least(context, bill, month) for month in reversed(owed)}
        refused = {m: need.refusal(m, n) for m, n in least.items() if not need.pays(m, n)}
        if owed and len(refused) == len(owed):
            raise next(iter(refused.values()))
        return refused

    def _least(self, context: FetchContext, bill: Bill, month: str) -> int:
        """Requests that one day has to pay for: of a month that is known, perhaps no news."""
        known = context.zone.current(Key(self.name, bill.account, month))
        still = self._still([month], self.settings.today)
        return 1 if known or still or not self.is_money else LEAST

    def _still(self, months: Iterable[str], today: date) -> list[str]:
        """Those that AWS no longer changes."""
        recent = f"{today - timedelta(days=RESTATED_DAYS):%Y-%m}"
        return [month for month in months if month < recent]

    def _totals(self, bill: Bill, due: list[str]) -> Ready:
        return Ready(bill, bill.accounts(due))

    def _by_day(
        self, context: FetchContext, bill: Bill, due: list[str], refused: Collection[str]
    ) -> Ready:
        try:
            pairs = bill.pairs(due)
            context.notices.extend(missing_tags.notices(bill, pairs))
            news = [month for month in due if self._news(context, bill, pairs, month)]
            months = context.cache.get_or_ask("news", lambda: news)
            context.unchanged.extend(month for month in due if month not in months)
            spent = any(pairs[month].num_rows for month in months)
            types = bill.record_types(months) if spent else []
        except CutOffError as error:
            self._cut_off(context, bill, due, error)
            raise
        now = self._now(context, bill, months, pairs, types)
        told = {month: pairs[month] for month in now if month not in refused}
        still = self._still(told, bill.today)
        return Months(
            bill, told, self._need(context), types, still, context.cache.keep_for_later_day
        )

    def _now(
        self, context: FetchContext, bill: Bill, months: list[str], pairs: Told, types: list[str]
    ) -> list[str]:
        """Without those that still change, where today does not pay for them beside others."""
        still = self._still(months, bill.today)
        rest = [month for month in months if month not in still]
        if not (still and rest):
            return months

        def decide() -> bool:
            least = len(bill.parts(rest[-1:], pairs, types))
            return least * PRICE > context.ledger.left

        apart = context.cache.get_or_ask("apart", decide)
        return still if apart or context.cache.from_earlier_day else months

    def _cut_off(
        self, context: FetchContext, bill: Bill, due: list[str], error: CutOffError
    ) -> None:
        """Notes what the next day has to know. Raises `BudgetError` where no day pays."""
        need, paid = self._need(context), len(bill.answers.request_ids)
        if self._still(due, bill.today) and need.a_day >= error.pages:
            if paid:
                context.cache.keep_for_later_day()
            return
        needed = paid + error.to_come
        if needed > need.a_day:
            need.note(due, needed)
        need.refuse(due[-1], needed)

    def _need(self, context: FetchContext) -> Need:
        return Need(self.name, context.cache, self.settings.cost.api_budget_usd_per_day)

    def _news(self, context: FetchContext, bill: Bill, pairs: Told, month: str) -> bool:
        return _rows(pairs[month]) != self._told(context, bill, month)

    def _told(self, context: FetchContext, bill: Bill, month: str) -> list[Any] | None:
        """What `pair` said when the live delivery of a month was made; None without one."""
        live = context.zone.current(Key(self.name, bill.account, month))
        if live is None or not live.present or not self._asked_alike(live, bill):
            return None
        held = _lines(live)
        return _rows(held.filter(pc.equal(held["request"], "pair")))

    def _refunds(self, context: FetchContext, bill: Bill, month: str) -> pa.Table | None:
        """As the live delivery has them, where that was asked alike in this very week."""
        live = context.zone.current(Key(self.name, bill.account, month))
        if live is None or not live.present or not self._asked_alike(live, bill):
            return None
        if live.pulled_at.isocalendar()[:2] != datetime.now(UTC).isocalendar()[:2]:
            return None
        held = _lines(live)
        return held.filter(pc.equal(held["record_class"], REFUND).fill_null(False))

    def _due(self, context: FetchContext, bill: Bill) -> list[str]:
        kept = self._months()
        if context.window.given:
            context.notices.extend(_gone(context.window, calendar.bounds(kept[0])[0]))
            return [month for month in kept if context.window.touches(month)]
        still = self._still(kept, self.settings.today)
        live = {month: context.zone.current(Key(self.name, bill.account, month)) for month in kept}
        return [
            month
            for month, delivery in live.items()
            if delivery is None or month not in still or self._stale(delivery, bill)
        ]

    def _months(self) -> list[str]:
        """What AWS still has by day."""
        today = self.settings.today
        return calendar.months(calendar.months_before(today, MONTHS), today)

    def _stale(self, delivery: Delivery, bill: Bill) -> bool:
        """Whether AWS called any of it an estimate, or it was asked for in another way."""
        if not delivery.present:
            return False
        estimated = pc.any(pc.equal(_lines(delivery)["estimated"], "true")).as_py()
        return bool(estimated) or not self._asked_alike(delivery, bill)

    def _asked_alike(self, delivery: Delivery, bill: Bill) -> bool:
        """Whether a delivery came from the requests that would be made now."""
        held = _lines(delivery)
        first = "pair" if self.is_money else "account"
        asked = held.filter(pc.equal(held["request"], first))
        keys = set(asked["tag_key"].to_pylist())
        return held.num_rows == 0 or keys == {bill.tag_keys if self.is_money else None}


def _rows(lines: pa.Table) -> list[Any]:
    """In an order of its own: AWS promises none."""
    return sorted(lines.to_pylist(), key=str)


def _lines(delivery: Delivery) -> pa.Table:
    """What tells how a delivery was asked for, of all its lines; its pairs whole."""
    parts = [pq.read_table(path) for path in delivery.paths]
    found = pa.concat_tables(parts, promote_options="default")
    absent = [name for name in SCHEMA.names if name not in found.column_names]
    for name in absent:  # a delivery from before the column was asked for
        found = found.append_column(name, pa.nulls(found.num_rows, pa.string()))
    return found.select(SCHEMA.names)


def _gone(window: Window, kept: date) -> list[str]:
    """What to say of a window that begins before the first day that AWS has."""
    since = window.first or window.last
    if since is None or since >= kept:
        return []
    return [f"AWS has no days before {kept}, so those asked for from {since} on are not read"]


def _refuse(context: FetchContext, error: BudgetError, _: Staging) -> None:
    context.cache.clear()  # all else has been read
    raise error


def _fill(ready: Ready, month: str, staging: Staging) -> None:
    lines, ids = ready.lines(month)
    staging.request_ids += ids
    pq.write_table(lines, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=f"Cost Explorer {ready.bill.account} {month}")

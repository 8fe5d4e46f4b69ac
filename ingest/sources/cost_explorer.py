"""Cost Explorer: the bill of one account by day, or only the total that an export is held against.

Which it is says `cost.source`: as the money source it brings the requests by day of
`ingest.cost_requests`; beside an export one request tells what each linked account was billed each
month. Cost Explorer lists no invoice and no resource; a data export does.

Key: the account and the whole month (a pull widens to whole months). Cursor: months not seen yet or
asked for in another way (tags, money or check), months that ended in the last `RESTATED_DAYS`, and
months that AWS last called an estimate; of these only the ones whose totals have changed are read
by day, adjoining ones at once. If that is more than the day's cap pays for, fewer months are: the
newest. A month that is delivered stays, so the next day resumes where the cap stopped; one month
that no day's cap pays for is not begun. What was paid for in a pull that was cut off is not asked
for again (`ingest.kept`): so a pull that goes on asks about the months that the first one did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest import aws, calendar, cost_tags
from ingest.cost_need import LEAST, Need
from ingest.cost_pages import Answers, CutOffError, ExpiredError, TooLongError
from ingest.cost_requests import SCHEMA, Bill, Told
from ingest.cost_sums import refuse_unlike
from ingest.meter import Meter
from ingest.source import Group, Options, Parcel, Visit
from models.raw import Delivery, Key, Staging
from models.restatement import RESTATED_DAYS
from models.settings import Settings

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
        return f"Cost Explorer of {self.options.reader}"

    @property
    def is_money(self) -> bool:
        """Whether the dollars are its own; else it is only the check of another source."""
        return self.settings.cost.source in (self.name, self.kind)

    def fetch(self, visit: Visit) -> Iterable[Parcel]:
        """One parcel per month that has news, the newest first."""
        account = aws.account(self.options)
        client = aws.client("ce", self.options)
        tags = self.settings.tags
        answers = Answers(Meter(client, visit.ledger, self.name, account), visit.kept)
        bill = Bill(answers, account, tags.workload, tags.run, self.settings.today)
        due = visit.kept.answer("due", lambda: self._due(visit, bill))
        if not due:
            return []
        ready = self._by_day(visit, bill, due) if self.is_money else self._totals(visit, bill, due)
        return [
            Parcel(account, month, partial(_fill, ready, month), empty=True)
            for month in reversed(ready.months)
            if not self.is_money or self._news(visit, bill, ready.told, month)
        ]

    def _totals(self, visit: Visit, bill: Bill, due: list[str]) -> Ready:
        self._need(visit).refuse(due[-1], 1)
        return Ready(bill, bill.accounts(due))

    def _by_day(self, visit: Visit, bill: Bill, due: list[str]) -> Ready:
        need = self._need(visit)
        known = any(visit.zone.current(Key(self.name, bill.account, month)) for month in due)
        need.refuse(due[-1], 1 if known else LEAST)
        try:
            pairs = bill.pairs(due)
            visit.notices.extend(cost_tags.notices(bill, pairs))
            news = [month for month in due if self._news(visit, bill, pairs, month)]
            months = visit.kept.answer("news", lambda: news)
            visit.unchanged.extend(month for month in due if month not in months)
            spent = any(pairs[month].num_rows for month in months)
            types = bill.record_types(months) if spent else []
        except CutOffError as error:
            need.refuse(due[-1], len(bill.answers.request_ids) + error.to_come)
            raise
        return Months(bill, {month: pairs[month] for month in months}, need, types)

    def _need(self, visit: Visit) -> Need:
        return Need(self.name, visit.kept, self.settings.cost.api_budget_usd_per_day)

    def _news(self, visit: Visit, bill: Bill, pairs: Told, month: str) -> bool:
        return _rows(pairs[month]) != self._told(visit, bill, month)

    def _told(self, visit: Visit, bill: Bill, month: str) -> list[Any] | None:
        """What `pair` said when the live delivery of a month was made; None without one."""
        live = visit.zone.current(Key(self.name, bill.account, month))
        if live is None or not live.present or not self._asked_alike(live, bill):
            return None
        held = _lines(live)
        return _rows(held.filter(pc.equal(held["request"], "pair")))

    def _due(self, visit: Visit, bill: Bill) -> list[str]:
        today = self.settings.today
        kept = calendar.months(calendar.months_before(today, MONTHS), today)
        if visit.window.given:
            return [month for month in kept if visit.window.touches(month)]
        recent = today - timedelta(days=RESTATED_DAYS)
        live = {month: visit.zone.current(Key(self.name, bill.account, month)) for month in kept}
        return [
            month
            for month, delivery in live.items()
            if delivery is None or month >= f"{recent:%Y-%m}" or self._stale(delivery, bill)
        ]

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


@dataclass
class Ready:
    """Months that are told already."""

    bill: Bill
    told: Told

    @property
    def months(self) -> list[str]:
        """In order."""
        return sorted(self.told)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """The lines of a month, and the ids of the requests they came from."""
        return self.told[month], self.bill.answers.request_ids


@dataclass
class Months(Ready):
    """Months that are read by day when the first of them is wanted; `told` are their pairs."""

    need: Need
    types: Sequence[str]
    read: dict[str, tuple[pa.Table, list[str]]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._first = list(self.bill.answers.request_ids)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """As `Ready`; with it the adjoining months before it are read, as many as can be."""
        while month not in self.read:
            self._read(self._adjoining(month))
        lines, ids = self.read[month]
        refuse_unlike(month, lines)
        return lines, ids

    def _read(self, months: list[str]) -> None:
        asked = len(self.bill.answers.request_ids)
        while True:
            try:
                told = self._days(months, asked)
                break
            except (TooLongError, ExpiredError) as error:
                if len(months) == 1:
                    raise
                months = months[-_fewer(months, error) :]
        ids = self._first + self.bill.answers.request_ids[asked:]
        self.read = {month: (lines, ids) for month, lines in told.items()}
        self.done |= set(self.read)
        self.need.met(months)

    def _days(self, months: list[str], asked: int) -> Told:
        """Of a single month, refused where no day pays for it."""
        if len(months) > 1:
            return self.bill.days(months, self.told, self.types)
        parts = self.bill.parts(months, self.told, self.types)
        self.need.refuse(months[0], len(self._first) + len(parts))
        try:
            return self.bill.days(months, self.told, self.types)
        except CutOffError as error:
            paid = len(self.bill.answers.request_ids) - asked
            self.need.refuse(months[0], len(self._first) + paid + error.to_come)
            raise

    def _adjoining(self, month: str) -> list[str]:
        """The months without a gap around `month` that are not read yet, in order.

        Those after it are sealed already, by a pull that was cut off: their days came in one answer
        with its own, which is kept.
        """
        found = [month]
        while self._unread(before := calendar.month_before(found[0])):
            found.insert(0, before)
        while self._unread(after := calendar.month_after(found[-1])):
            found.append(after)
        return found

    def _unread(self, month: str) -> bool:
        return month in self.told and month not in self.done


def _fewer(months: list[str], error: TooLongError | ExpiredError) -> int:
    """How many of the newest months to try instead."""
    if isinstance(error, ExpiredError):
        return len(months) - 1
    return max(1, min(error.days // 31, len(months) - 1))


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


def _fill(ready: Ready, month: str, staging: Staging) -> None:
    lines, ids = ready.lines(month)
    staging.request_ids += ids
    pq.write_table(lines, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=f"Cost Explorer {ready.bill.account} {month}")

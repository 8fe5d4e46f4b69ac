"""Cost Explorer: the bill of one account by day, run tag and usage type, at $0.01 a page.

Key: the account and the whole month (a pull widens to whole months). Two requests a month: usage
grouped by run tag and usage type, without credits, refunds, tax and support; and exactly those,
by record type and service. Cost Explorer lists no invoice and no resource; a data export does.
Cursor: months not seen yet, months that ended within `RESTATED`, and months whose last answer
said that it was an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import ClassVar

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest import aws, calendar
from ingest.cost_pages import Bill
from ingest.source import Group, Options, Parcel, Visit
from models.raw import Delivery, Key, Staging
from models.settings import Settings

MONTHS = 13
"""Full months before the current one that Cost Explorer keeps by day."""
RESTATED = timedelta(days=35)
"""AWS rewrites a month for about two weeks after its end; refunds come later still."""


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
        return f"Cost Explorer of {self.options.role_arn or 'the configured credentials'}"

    def fetch(self, visit: Visit) -> Iterable[Parcel]:
        """One parcel per month that is due, the newest first: the daily cap may end it early."""
        account = aws.account(self.options)
        client = aws.client("ce", self.options)
        bill = Bill(client, visit.ledger, self.name, account, self.settings.tags.run)
        return [
            Parcel(account, month, partial(_fill, bill, month, self.settings.today), empty=True)
            for month in reversed(self._due(visit, account))
        ]

    def _due(self, visit: Visit, account: str) -> list[str]:
        today = self.settings.today
        kept = calendar.months(calendar.months_before(today, MONTHS), today)
        if visit.window.given:
            return [month for month in kept if visit.window.touches(month)]
        recent = today - RESTATED
        live = {month: visit.zone.current(Key(self.name, account, month)) for month in kept}
        return [
            month
            for month, delivery in live.items()
            if delivery is None or month >= f"{recent:%Y-%m}" or _estimated(delivery)
        ]


def _estimated(delivery: Delivery) -> bool:
    """Whether AWS called any day of the month an estimate when it was pulled."""
    return delivery.present and any(
        pc.any(pc.equal(pq.read_table(path, columns=["estimated"])["estimated"], "true")).as_py()
        for path in delivery.paths
    )


def _fill(bill: Bill, month: str, today: date, staging: Staging) -> None:
    first, after = calendar.bounds(month)
    asked_before = len(bill.request_ids)
    table = bill.lines(month, first, min(after, today + timedelta(days=1)))
    staging.request_ids += bill.request_ids[asked_before:]
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=f"Cost Explorer {bill.account} {month}")

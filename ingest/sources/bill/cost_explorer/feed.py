"""Fetches one account's bill from Cost Explorer by day, or only totals that check an export.

`cost.source` decides which. As the money source it makes the requests by day that `requests` lists.
Beside an export, one request returns what each linked account was billed each month. Cost Explorer
lists no invoice and no resource; a Data Export does.

Key: the account and the whole month (a pull widens to whole months). Cursor: months not seen yet or
requested differently (tags, money or check), months that ended in the last `RESTATED_DAYS`, and
months that AWS last called an estimate. Of these only the ones whose totals have changed are read
by day, adjoining months in one answer. If the day's cap does not pay for all of them, fewer months
are read, the newest first (`read`, `months`). A delivered month stays, so the next day resumes
where the cap stopped. Responses that an interrupted pull paid for are read from the cache
(`ingest.paid_requests.response_cache`); a pull that resumes therefore requests the same months, up
to the same day, as the first one did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ingest import aws
from ingest.paid_requests.metering import MeteredClient
from ingest.source import Batch, FetchContext, Group, Options
from ingest.sources.bill.cost_explorer.pages import PagedAnswers
from ingest.sources.bill.cost_explorer.read import Read
from ingest.sources.bill.cost_explorer.requests import Bill
from models.config.settings import Settings


@dataclass(frozen=True)
class CostExplorer:
    """The Cost Explorer feed: an AWS account's bill by day, or totals that check another bill."""

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
        """The feed's location in words: Cost Explorer, and the role that reads it."""
        return f"Cost Explorer of {self.options.caller_label}"

    @property
    def is_money(self) -> bool:
        """Whether this feed is the counted bill; else it only checks another source's total."""
        return self.settings.cost.source in (self.name, self.kind)

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Returns a delivery per changed month of the bill; where it is a check, per due month.

        Filling the last may raise the error of a month that the daily cap cannot pay for.
        """
        account = aws.account(self.options)
        client = aws.client("ce", self.options)
        tags = self.settings.tags
        metered = MeteredClient(client, context.ledger, self.name, account)
        answers = PagedAnswers(metered, context.cache)
        bill = Bill(answers, account, tags.workload, tags.run, self.settings.today)
        return Read(self.name, self.settings, context, bill, self.is_money).batches()

"""Reads Cost Explorer's answers page by page, each paid for first, and returns whole answers only.

AWS binds a page token to its request and lets both expire. Then all pages of the answer are dropped
and it is begun again, at most `BEGUN` times in all. The size of a page is AWS's own and is not
published. Paid pages are cached until the delivery is sealed
(`ingest.paid_requests.response_cache`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from math import ceil
from typing import Any, TypeVar

import botocore.exceptions as refused

from ingest import aws
from ingest.paid_requests.metering import MeteredClient
from ingest.paid_requests.response_cache import ResponseCache
from models.contract.errors import BudgetError, SourceError

PRICE = Decimal("0.01")
"""Of every page of every operation, in dollars."""
BEGUN = 3
EXPIRED = "BillExpirationException"
BROKEN_OFF = ("InvalidNextTokenException", "RequestChangedException", EXPIRED)
SPARE = Decimal("1.25")
"""Pages differ in size: so much more than the first page foretells must be affordable."""
OPERATIONS = {
    "get_cost_and_usage": "GetCostAndUsage",
    "get_dimension_values": "GetDimensionValues",
    "get_tags": "GetTags",
}
Period = dict[str, str]
T = TypeVar("T")


class ExpiredError(SourceError):
    """AWS gave up the days that were asked for; a later start may be answered."""


class TooLongError(SourceError):
    """The answer would cost more than today's cap leaves; `days` would not."""

    def __init__(self, days: int) -> None:
        super().__init__("the answer is longer than the daily cap allows", value=f"{days} days")
        self.days = days


class CutOffError(BudgetError):
    """The cap cut an answer off; about so many pages were `to_come`, one at least.

    `pages` is how many the answer that was cut off has in all, as far as it shows.
    """

    def __init__(self, error: BudgetError, to_come: int, pages: int) -> None:
        super().__init__(str(error))
        self.to_come, self.pages = to_come, pages


@dataclass(frozen=True)
class Group:
    """One group of one day or month; metrics are `{name: {"Amount", "Unit"}}`, as AWS wrote."""

    start: str
    estimated: bool
    keys: list[str]
    metrics: dict[str, dict[str, str]]


@dataclass(frozen=True)
class Answers:
    """What one account is told."""

    meter: MeteredClient
    cache: ResponseCache
    request_ids: list[str] = field(default_factory=list)
    """Of every page that was answered, in order."""

    def groups(
        self,
        request: dict[str, Any],
        keep: Callable[[list[Group]], T],
        *,
        beside: int | None = None,
    ) -> list[T]:
        """What `keep` makes of each page of one GetCostAndUsage; all of them or none.

        Where `beside` is given, raises `TooLongError` after the first page if today's cap does not
        pay for it and for that many more answers of its length. Raises `CutOffError` at the cap.
        """
        return self._whole(
            "get_cost_and_usage", request, lambda page: keep(list(_groups(page))), beside
        )

    def values(self, dimension: str, period: Period) -> list[str]:
        """What a dimension is within a period, in order."""
        asked = {"Dimension": dimension, "TimePeriod": period, "Context": "COST_AND_USAGE"}
        pages = self._whole("get_dimension_values", asked, lambda page: page["DimensionValues"])
        return [found["Value"] for page in pages for found in page]

    def tag_keys(self, period: Period) -> list[str]:
        """The tags that are activated for cost allocation and that some spend carries."""
        pages = self._whole("get_tags", {"TimePeriod": period}, lambda page: page["Tags"])
        return [key for page in pages for key in page]

    def _whole(
        self,
        method: str,
        request: dict[str, Any],
        keep: Callable[[dict[str, Any]], T],
        beside: int | None = None,
    ) -> list[T]:
        with aws.refusals(f"ce:{OPERATIONS[method]}"):
            for last in (*[False] * (BEGUN - 1), True):
                try:
                    return [keep(page) for page in self._each(method, request, beside)]
                except refused.ClientError as error:
                    code = error.response["Error"]["Code"]
                    if code in BROKEN_OFF:
                        self.cache.drop([method, request])
                    if last and code == EXPIRED:
                        raise _expired(request) from None
                    if last or code not in BROKEN_OFF:
                        raise
        raise AssertionError("the last time returns or raises")

    def _each(
        self, method: str, request: dict[str, Any], beside: int | None
    ) -> Iterator[dict[str, Any]]:
        pages: list[tuple[int, int]] = []
        token = ""
        while True:
            try:
                page = self._page(method, request, token)
            except BudgetError as error:
                to_come = _to_come(pages)
                raise CutOffError(error, to_come, len(pages) + to_come) from None
            self.request_ids.append(page["ResponseMetadata"]["RequestId"])
            yield page
            token, first = page.get("NextPageToken", ""), not token
            if not token:
                return
            pages.append(_told(page, request["TimePeriod"]))
            if beside is not None and first:
                self._afford(request, *pages[0], beside)

    def _page(self, method: str, request: dict[str, Any], token: str) -> dict[str, Any]:
        """One page, as it was answered before or as it is now."""

        def ask() -> dict[str, Any]:
            more = {"NextPageToken": token} if token else {}
            said = self.meter.call(method, PRICE, **request, **more)
            called = {"RequestId": said["ResponseMetadata"]["RequestId"]}
            return {**said, "ResponseMetadata": called}

        return self.cache.get_or_ask([method, request], ask, after=token)

    def _afford(self, request: dict[str, Any], told: int, whole: int, beside: int) -> None:
        """Refuses what the first page shows to be unaffordable: pages already paid would be lost.

        A page that reaches the last day foretells nothing. What was refused stays refused when the
        same is asked again, and what was begun is gone on with.
        """
        if not 0 < told < whole - 1:
            return

        def decide() -> int:
            left = self.meter.ledger.left // PRICE
            return int(left * told / (SPARE * (beside + 1)))

        affordable = self.cache.get_or_ask(["affordable", request], decide)
        if affordable < whole:
            raise TooLongError(affordable)


def _told(page: dict[str, Any], period: Period) -> tuple[int, int]:
    """The days that a page has come to, and all of its answer."""
    days = [day["TimePeriod"]["Start"] for day in page.get("ResultsByTime", []) if day["Groups"]]
    first, after = date.fromisoformat(period["Start"]), date.fromisoformat(period["End"])
    told = (date.fromisoformat(max(days)) - first).days if days else 0
    return told, (after - first).days


def _to_come(pages: list[tuple[int, int]]) -> int:
    """The pages that are missing, as those which were answered foretell it."""
    told, whole = pages[-1] if pages else (0, 0)
    return max(1, ceil(len(pages) * (whole - told) / told)) if told else 1


def _groups(page: dict[str, Any]) -> Iterator[Group]:
    for span in page["ResultsByTime"]:
        start, estimated = span["TimePeriod"]["Start"], bool(span.get("Estimated"))
        for group in span["Groups"]:
            yield Group(start, estimated, group["Keys"], group["Metrics"])


def _expired(request: dict[str, Any]) -> ExpiredError:
    period = request["TimePeriod"]
    return ExpiredError(
        f"ce:GetCostAndUsage was refused: {EXPIRED}",
        value=f"{period['Start']} to {period['End']}",
        remedy="AWS no longer has these days: ask for later ones with --from",
    )

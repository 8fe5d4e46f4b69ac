"""Reads Cost Explorer's answers page by page, each paid for first, and returns whole answers only.

AWS binds a page token to its request and lets both expire. Then all pages of the answer are dropped
and it is begun again, at most `ATTEMPTS` times in all. The size of a page is AWS's own and is not
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
ATTEMPTS = 3
EXPIRED = "BillExpirationException"
RESTARTABLE = ("InvalidNextTokenException", "RequestChangedException", EXPIRED)
SAFETY = Decimal("1.25")
"""Pages differ in size: so much more than the first page foretells must be affordable."""
OPERATIONS = {
    "get_cost_and_usage": "GetCostAndUsage",
    "get_dimension_values": "GetDimensionValues",
    "get_tags": "GetTags",
}
Period = dict[str, str]
T = TypeVar("T")


class ExpiredError(SourceError):
    """AWS no longer has the days that were asked for; a later start may be answered."""


class TooLongError(SourceError):
    """The answer would cost more than today's cap leaves; one of `days` days would not."""

    def __init__(self, days: int) -> None:
        super().__init__("the answer is longer than the daily cap allows", value=f"{days} days")
        self.days = days


class CutOffError(BudgetError):
    """The cap cut an answer off.

    About `to_come` pages are missing, at least one; `pages` is how many the answer has in all, as
    far as can be told.
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
class PagedAnswers:
    """Reads whole answers of Cost Explorer for one account, page by page, each paid for."""

    meter: MeteredClient
    cache: ResponseCache
    request_ids: list[str] = field(default_factory=list)
    """Of every page that was answered, in order."""

    def groups(
        self,
        request: dict[str, Any],
        convert: Callable[[list[Group]], T],
        *,
        further_answers: int | None = None,
    ) -> list[T]:
        """Returns what `convert` makes of each page of a GetCostAndUsage answer, all pages or none.

        With `further_answers`, raises `TooLongError` after the first page if today's cap does not
        pay for this answer and for that many more of its length. Raises `CutOffError` at the cap.
        """
        return self._whole(
            "get_cost_and_usage",
            request,
            lambda page: convert(list(_groups(page))),
            further_answers,
        )

    def values(self, dimension: str, period: Period) -> list[str]:
        """Returns the values of a dimension within a period, in order."""
        asked = {"Dimension": dimension, "TimePeriod": period, "Context": "COST_AND_USAGE"}
        pages = self._whole("get_dimension_values", asked, lambda page: page["DimensionValues"])
        return [found["Value"] for page in pages for found in page]

    def tag_keys(self, period: Period) -> list[str]:
        """Returns the activated cost allocation tags that some spend carries."""
        pages = self._whole("get_tags", {"TimePeriod": period}, lambda page: page["Tags"])
        return [key for page in pages for key in page]

    def _whole(
        self,
        method: str,
        request: dict[str, Any],
        convert: Callable[[dict[str, Any]], T],
        further_answers: int | None = None,
    ) -> list[T]:
        """Reads all pages of an answer; begins anew where AWS no longer accepts its token."""
        with aws.refusals(f"ce:{OPERATIONS[method]}"):
            for last in (*[False] * (ATTEMPTS - 1), True):
                try:
                    return [convert(page) for page in self._each(method, request, further_answers)]
                except refused.ClientError as error:
                    code = error.response["Error"]["Code"]
                    if code in RESTARTABLE:
                        self.cache.drop([method, request])
                    if last and code == EXPIRED:
                        raise _expired(request) from None
                    if last or code not in RESTARTABLE:
                        raise
        raise AssertionError("the last time returns or raises")

    def _each(
        self, method: str, request: dict[str, Any], further_answers: int | None
    ) -> Iterator[dict[str, Any]]:
        """Yields page after page."""
        pages: list[tuple[int, int]] = []
        token = ""
        while True:
            try:
                page = self._page(method, request, token)
            except BudgetError as error:
                to_come = _pages_to_come(pages)
                raise CutOffError(error, to_come, len(pages) + to_come) from None
            self.request_ids.append(page["ResponseMetadata"]["RequestId"])
            yield page
            token, first = page.get("NextPageToken", ""), not token
            if not token:
                return
            pages.append(_days_covered(page, request["TimePeriod"]))
            if further_answers is not None and first:
                self._refuse_unaffordable(request, *pages[0], further_answers)

    def _page(self, method: str, request: dict[str, Any], token: str) -> dict[str, Any]:
        """Returns one page, from the cache if it was paid for already."""

        def ask() -> dict[str, Any]:
            more = {"NextPageToken": token} if token else {}
            response = self.meter.call(method, PRICE, **request, **more)
            called = {"RequestId": response["ResponseMetadata"]["RequestId"]}
            return {**response, "ResponseMetadata": called}

        return self.cache.get_or_ask([method, request], ask, after=token)

    def _refuse_unaffordable(
        self, request: dict[str, Any], covered: int, whole: int, further_answers: int
    ) -> None:
        """Raises `TooLongError` where the first page shows that the rest cannot be paid for today.

        Otherwise the pages already paid for would be lost. A page that reaches the last day tells
        nothing. The decision is cached, so that a resumed read decides the same.
        """
        if not 0 < covered < whole - 1:
            return

        def decide() -> int:
            left = self.meter.ledger.left // PRICE
            return int(left * covered / (SAFETY * (further_answers + 1)))

        affordable = self.cache.get_or_ask(["affordable", request], decide)
        if affordable < whole:
            raise TooLongError(affordable)


def _days_covered(page: dict[str, Any], period: Period) -> tuple[int, int]:
    """Returns the number of days that a page has reached, and of the whole answer."""
    days = [day["TimePeriod"]["Start"] for day in page.get("ResultsByTime", []) if day["Groups"]]
    first, after = date.fromisoformat(period["Start"]), date.fromisoformat(period["End"])
    covered = (date.fromisoformat(max(days)) - first).days if days else 0
    return covered, (after - first).days


def _pages_to_come(pages: list[tuple[int, int]]) -> int:
    """Estimates the missing pages from those that came; at least one."""
    covered, whole = pages[-1] if pages else (0, 0)
    return max(1, ceil(len(pages) * (whole - covered) / covered)) if covered else 1


def _groups(page: dict[str, Any]) -> Iterator[Group]:
    """Yields the groups of a page."""
    for span in page["ResultsByTime"]:
        start, estimated = span["TimePeriod"]["Start"], bool(span.get("Estimated"))
        for group in span["Groups"]:
            yield Group(start, estimated, group["Keys"], group["Metrics"])


def _expired(request: dict[str, Any]) -> ExpiredError:
    """Returns the error for days that AWS no longer has."""
    period = request["TimePeriod"]
    return ExpiredError(
        f"ce:GetCostAndUsage was refused: {EXPIRED}",
        value=f"{period['Start']} to {period['End']}",
        remedy="AWS no longer has these days: ask for later ones with --from",
    )

"""Reads Cost Explorer's answers page by page, recording each as paid; returns only whole answers.

AWS binds a page token to its request and lets both expire. Then all pages of the answer are removed
and it is read anew, at most `ATTEMPTS` times in all. The size of a page is AWS's own and is not
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
"""Dollars for a page of any operation."""
ATTEMPTS = 3
EXPIRED = "BillExpirationException"
RESTARTABLE = ("InvalidNextTokenException", "RequestChangedException", EXPIRED)
SAFETY = Decimal("1.25")
"""Factor on the length that the first page predicts, because pages differ in size."""
OPERATIONS = {
    "get_cost_and_usage": "GetCostAndUsage",
    "get_dimension_values": "GetDimensionValues",
    "get_tags": "GetTags",
}
Period = dict[str, str]
T = TypeVar("T")


class ExpiredError(SourceError):
    """Raised where AWS no longer has the requested days in Cost Explorer, maybe later ones."""


class TooLongError(SourceError):
    """Raised where an answer would cost more than today's cap leaves; `days` days would fit."""

    def __init__(self, days: int) -> None:
        super().__init__("the answer is longer than the daily cap allows", value=f"{days} days")
        self.days = days


class CutOffError(BudgetError):
    """Raised where the daily cap cut a Cost Explorer answer off before its last page.

    `to_come` estimates how many pages are missing, at least one. `pages` estimates how many the
    whole answer has.
    """

    def __init__(self, error: BudgetError, to_come: int, pages: int) -> None:
        super().__init__(str(error))
        self.to_come, self.pages = to_come, pages


@dataclass(frozen=True)
class Group:
    """One group of one day or month in a Cost Explorer answer, with its metrics as AWS wrote."""

    start: str
    estimated: bool
    keys: list[str]
    metrics: dict[str, dict[str, str]]


@dataclass(frozen=True)
class PagedAnswers:
    """Reads whole Cost Explorer answers of one account, page by page, each paid for."""

    meter: MeteredClient
    cache: ResponseCache
    request_ids: list[str] = field(default_factory=list)
    """AWS request ids of the pages, in order."""

    def groups(
        self,
        request: dict[str, Any],
        convert: Callable[[list[Group]], T],
        *,
        further_answers: int | None = None,
    ) -> list[T]:
        """Reads a GetCostAndUsage answer and converts each page; returns all pages or raises.

        `convert` gets the groups of a page. With `further_answers`, raises `TooLongError` after the
        first page if today's cap does not pay for this answer and for as many more of its length.
        Raises `CutOffError` where the cap is reached.
        """
        return self._whole(
            "get_cost_and_usage",
            request,
            lambda page: convert(list(_groups(page))),
            further_answers,
        )

    def values(self, dimension: str, period: Period) -> list[str]:
        """Returns the values that a Cost Explorer dimension has within a period, in AWS's order."""
        parameters = {"Dimension": dimension, "TimePeriod": period, "Context": "COST_AND_USAGE"}
        pages = self._whole(
            "get_dimension_values", parameters, lambda page: page["DimensionValues"]
        )
        return [found["Value"] for page in pages for found in page]

    def tag_keys(self, period: Period) -> list[str]:
        """Returns the tag keys that spend within a period has in Cost Explorer."""
        pages = self._whole("get_tags", {"TimePeriod": period}, lambda page: page["Tags"])
        return [key for page in pages for key in page]

    def _whole(
        self,
        method: str,
        request: dict[str, Any],
        convert: Callable[[dict[str, Any]], T],
        further_answers: int | None = None,
    ) -> list[T]:
        """Reads and converts all pages of an answer; starts anew, twice at most, if they expire."""
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
        """Yields an answer's pages, each paid for or cached. Raises `CutOffError` at the cap."""
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
        """Returns one page of a Cost Explorer answer, from the cache if it was paid for already."""

        def ask() -> dict[str, Any]:
            more = {"NextPageToken": token} if token else {}
            response = self.meter.call(method, PRICE, **request, **more)
            called = {"RequestId": response["ResponseMetadata"]["RequestId"]}
            return {**response, "ResponseMetadata": called}

        return self.cache.get_or_ask([method, request], ask, after=token)

    def _refuse_unaffordable(
        self, request: dict[str, Any], covered: int, whole: int, further_answers: int
    ) -> None:
        """Raises `TooLongError` where today's cap cannot pay for an answer's other pages.

        Otherwise the pages already paid for would be lost. A first page that reaches the last day
        is never refused, since it does not show how long the answer is. The decision is cached, so
        that a resumed read decides the same.
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
    """Returns (days up to the last on this page, days in the whole period)."""
    days = [day["TimePeriod"]["Start"] for day in page.get("ResultsByTime", []) if day["Groups"]]
    first, after = date.fromisoformat(period["Start"]), date.fromisoformat(period["End"])
    covered = (date.fromisoformat(max(days)) - first).days if days else 0
    return covered, (after - first).days


def _pages_to_come(pages: list[tuple[int, int]]) -> int:
    """Estimates how many pages of an answer are missing from those that came; at least one."""
    covered, whole = pages[-1] if pages else (0, 0)
    return max(1, ceil(len(pages) * (whole - covered) / covered)) if covered else 1


def _groups(page: dict[str, Any]) -> Iterator[Group]:
    """Yields the groups (costs by day and key) on a page of a Cost Explorer answer."""
    for span in page["ResultsByTime"]:
        start, estimated = span["TimePeriod"]["Start"], bool(span.get("Estimated"))
        for group in span["Groups"]:
            yield Group(start, estimated, group["Keys"], group["Metrics"])


def _expired(request: dict[str, Any]) -> ExpiredError:
    """Returns the error for days that Cost Explorer no longer has."""
    period = request["TimePeriod"]
    return ExpiredError(
        f"ce:GetCostAndUsage was refused: {EXPIRED}",
        value=f"{period['Start']} to {period['End']}",
        remedy="AWS no longer has these days: ask for later ones with --from",
    )

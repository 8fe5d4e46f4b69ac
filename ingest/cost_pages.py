"""The two requests that together are one month of a bill, page by page, each paid for first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import botocore.exceptions as refused
import pyarrow as pa

from ingest import aws
from ingest.requests import Ledger
from models.errors import InputError

OPERATION = "GetCostAndUsage"
PRICE = Decimal("0.01")
METRICS = {
    "AmortizedCost": "amortized",
    "NetAmortizedCost": "net_amortized",
    "UnblendedCost": "unblended",
    "NetUnblendedCost": "net_unblended",
    "UsageQuantity": "usage_quantity",
}
RECORD_TYPES = ["Credit", "Refund", "Tax", "Support", "Support fee"]
BESIDE = {"Dimensions": {"Key": "RECORD_TYPE", "Values": RECORD_TYPES}}
"""What is never a run's cost; the two requests take exactly this and exactly the rest."""
COLUMNS = (
    *("account", "month", "request", "day", "estimated", "tag_key", "run"),
    *("usage_type", "record_type", "service", "currency", *METRICS.values()),
)
SCHEMA = pa.schema([(name, pa.string()) for name in COLUMNS])
BROKEN_OFF = ("InvalidNextTokenException", "RequestChangedException")
Line = dict[str, str | None]
Keys = Callable[[list[str]], Line]


@dataclass(frozen=True)
class Bill:
    """The bill of one account. Amounts stay the decimal text that AWS wrote."""

    client: Any
    ledger: Ledger
    source: str
    account: str
    tag_key: str
    request_ids: list[str] = field(default_factory=list)
    """Of every page that was answered, in order."""

    def lines(self, month: str, first: date, after: date) -> pa.Table:
        """Every group of the days from `first` up to, not including, `after`."""
        period = {"Start": first.isoformat(), "End": after.isoformat()}
        about: Line = {"account": self.account, "month": f"{month}-01", "tag_key": self.tag_key}
        return pa.Table.from_pylist(
            [about | line for ask in (self._usage, self._beside) for line in ask(period)],
            schema=SCHEMA,
        )

    def _usage(self, period: dict[str, str]) -> list[Line]:
        groups = [
            {"Type": "TAG", "Key": self.tag_key},
            {"Type": "DIMENSION", "Key": "USAGE_TYPE"},
        ]
        return self._answer(period, groups, {"Not": BESIDE}, self._run_and_meter)

    def _beside(self, period: dict[str, str]) -> list[Line]:
        groups = [{"Type": "DIMENSION", "Key": key} for key in ("RECORD_TYPE", "SERVICE")]
        return self._answer(period, groups, BESIDE, _kind_and_service)

    def _answer(
        self, period: dict[str, str], groups: list[dict[str, str]], filter_: object, keys: Keys
    ) -> list[Line]:
        request = {
            "TimePeriod": period,
            "Granularity": "DAILY",
            "Metrics": list(METRICS),
            "GroupBy": groups,
            "Filter": filter_,
        }
        pages = self._pages(request)
        return [line for page in pages for day in page for line in _groups(day, keys)]

    def _pages(self, request: dict[str, Any]) -> list[list[dict[str, Any]]]:
        """All pages; begun anew, once, if AWS breaks off in between. No page is kept then."""
        with aws.refusals(f"ce:{OPERATION}"):
            try:
                return list(self._each(request))
            except refused.ClientError as error:
                if error.response["Error"]["Code"] not in BROKEN_OFF:
                    raise
            return list(self._each(request))

    def _each(self, request: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
        token: dict[str, str] = {}
        while True:
            self.ledger.pay(self.source, self.account, OPERATION, PRICE)
            page = self.client.get_cost_and_usage(**request, **token)
            self.request_ids.append(page["ResponseMetadata"]["RequestId"])
            yield page["ResultsByTime"]
            if not page.get("NextPageToken"):
                return
            token = {"NextPageToken": page["NextPageToken"]}

    def _run_and_meter(self, keys: list[str]) -> Line:
        tag, meter = keys
        prefix = f"{self.tag_key}$"  # a value may hold a `$` itself
        if not tag.startswith(prefix):
            raise InputError(
                "Cost Explorer answered for another tag", value=tag, remedy="check tags.run"
            )
        return {"request": "run", "run": tag.removeprefix(prefix) or None, "usage_type": meter}


def _kind_and_service(keys: list[str]) -> Line:
    return {"request": "record_type", "record_type": keys[0], "service": keys[1]}


def _groups(day: dict[str, Any], keys: Keys) -> Iterator[Line]:
    when: Line = {
        "day": day["TimePeriod"]["Start"],
        "estimated": "true" if day.get("Estimated") else "false",
    }
    for group in day["Groups"]:
        metrics = group["Metrics"]
        amounts: Line = {
            column: metrics[name]["Amount"] for name, column in METRICS.items() if name in metrics
        }
        currency: Line = {"currency": metrics["AmortizedCost"]["Unit"]}
        yield when | keys(group["Keys"]) | currency | amounts

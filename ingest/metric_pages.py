"""Reading CloudWatch metrics: which series there are, and their datapoints, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ingest import aws
from ingest.requests import Ledger
from models.errors import SourceError

DIMENSIONS = ("Workload", "Run")
STATISTICS = {
    "Epoch": "Maximum",
    "Samples": "Maximum",
    "Tokens": "Maximum",
    "SamplesPerEpoch": "Maximum",
    "Loss": "Average",
}
"""The emitter's metrics, and what stands for a period: of a cumulative counter its last value."""
QUERIES = 500
"""Queries one request may carry."""
LISTING_PRICE = Decimal("0.00001")
METRIC_PRICE = Decimal("0.00001")
"""Dollars for one metric asked for; each page is counted as a request of its own."""
SCHEMA = pa.schema(
    [
        ("timestamp", pa.timestamp("us")),
        *((name, pa.string()) for name in ("account", "region", "namespace", "workload", "run")),
        *((name, pa.string()) for name in ("metric", "statistic")),
        ("period", pa.int32()),
        ("value", pa.float64()),
    ]
)
Sample = dict[str, Any]


@dataclass(frozen=True)
class Series:
    """One metric of one run."""

    metric: str
    workload: str
    run: str


@dataclass(frozen=True)
class Metrics:
    """One namespace, as one account and region know it."""

    client: Any
    ledger: Ledger
    source: str
    account: str
    namespace: str
    request_ids: list[str] = field(default_factory=list)
    """Of every page of datapoints that was answered, in order."""

    def series(self) -> list[Series]:
        """The emitter's series that were active lately, in order."""
        found: set[Series] = set()
        token: dict[str, str] = {}
        while True:
            self.ledger.pay(self.source, self.account, "ListMetrics", LISTING_PRICE)
            with aws.refusals("cloudwatch:ListMetrics"):
                page = self.client.list_metrics(Namespace=self.namespace, **token)
            found.update(filter(None, map(_emitted, page["Metrics"])))
            if not page.get("NextToken"):
                return sorted(found, key=lambda one: (one.workload, one.run, one.metric))
            token = {"NextToken": page["NextToken"]}

    def samples(
        self, series: Sequence[Series], first: date, last: date, period: int
    ) -> list[Sample]:
        """Their datapoints from `first` to `last`, both included, in order of time."""
        found = [
            sample
            for start in range(0, len(series), QUERIES)
            for sample in self._batch(series[start : start + QUERIES], first, last, period)
        ]
        return sorted(found, key=lambda s: (s["timestamp"], s["workload"], s["run"], s["metric"]))

    def _batch(
        self, series: Sequence[Series], first: date, last: date, period: int
    ) -> Iterator[Sample]:
        by_id = {f"m{number}": one for number, one in enumerate(series)}
        request = {
            "MetricDataQueries": [self._query(id_, one, period) for id_, one in by_id.items()],
            "StartTime": _midnight(first),
            "EndTime": _midnight(last + timedelta(days=1)),
            "ScanBy": "TimestampAscending",
        }
        partial: dict[str, str] = {}
        for result in self._results(request):
            one = by_id[result["Id"]]
            partial[result["Id"]] = result["StatusCode"]
            for moment, value in zip(result["Timestamps"], result["Values"], strict=True):
                yield self._sample(one, period, moment, value)
        _refuse_incomplete(partial.values())

    def _results(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        price = METRIC_PRICE * len(request["MetricDataQueries"])
        token: dict[str, str] = {}
        while True:
            self.ledger.pay(self.source, self.account, "GetMetricData", price)
            with aws.refusals("cloudwatch:GetMetricData"):
                page = self.client.get_metric_data(**request, **token)
            self.request_ids.append(page["ResponseMetadata"]["RequestId"])
            yield from page["MetricDataResults"]
            if not page.get("NextToken"):
                return
            token = {"NextToken": page["NextToken"]}

    def _query(self, id_: str, one: Series, period: int) -> dict[str, Any]:
        values = zip(DIMENSIONS, (one.workload, one.run), strict=True)
        metric = {
            "Namespace": self.namespace,
            "MetricName": one.metric,
            "Dimensions": [{"Name": name, "Value": value} for name, value in values],
        }
        stat = {"Metric": metric, "Period": period, "Stat": STATISTICS[one.metric]}
        return {"Id": id_, "MetricStat": stat}

    def _sample(self, one: Series, period: int, moment: datetime, value: float) -> Sample:
        return {
            "timestamp": moment.astimezone(UTC).replace(tzinfo=None),
            "account": self.account,
            "region": self.client.meta.region_name,
            "namespace": self.namespace,
            "workload": one.workload,
            "run": one.run,
            "metric": one.metric,
            "statistic": STATISTICS[one.metric],
            "period": period,
            "value": value,
        }


def _emitted(metric: dict[str, Any]) -> Series | None:
    """The series, if it is one of the emitter's: exactly its dimensions, one of its metrics."""
    given = {dimension["Name"]: dimension["Value"] for dimension in metric["Dimensions"]}
    if set(given) != set(DIMENSIONS) or metric["MetricName"] not in STATISTICS:
        return None
    return Series(metric["MetricName"], given["Workload"], given["Run"])


def _refuse_incomplete(states: Iterable[str]) -> None:
    """A page may be `PartialData`, the last word of a series may not."""
    for state in states:
        if state != "Complete":
            raise SourceError(
                "CloudWatch did not answer in full", value=state, remedy="run again later"
            )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

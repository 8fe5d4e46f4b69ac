"""Reads CloudWatch metrics page by page: which series exist, and their datapoints.

Every page is paid for and cached until its delivery is sealed
(`ingest.paid_requests.response_cache`). An incomplete answer, or one whose page token AWS no longer
accepts, is removed from the cache and requested again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError

from ingest import aws
from ingest.aws.metrics.samples import Sample, Series, sort_samples
from ingest.billing_months import midnight
from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.metering import MeteredClient
from ingest.paid_requests.response_cache import ResponseCache
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping
from models.contract.errors import SourceError

QUERIES = 500
"""Queries one request may carry."""
LATELY = {"RecentlyActive": "PT3H"}
LISTING_PRICE = Decimal("0.00001")
METRIC_PRICE = Decimal("0.00001")
"""Dollars per requested metric; each page counts as a request."""


@dataclass(frozen=True)
class MetricsApi:
    """Reads CloudWatch metrics of one namespace, account and region; paid pages are cached."""

    client: Any
    ledger: RequestLedger
    source: str
    account: str
    mapped: CloudWatchMapping
    cache: ResponseCache
    request_ids: list[str] = field(default_factory=list)
    """AWS request ids of the pages of datapoints, in order."""

    @cached_property
    def _meter(self) -> MeteredClient:
        return MeteredClient(self.client, self.ledger, self.source, self.account)

    def list_series(self, lately: bool = False) -> list[Series]:
        """Lists the CloudWatch series to read, sorted; `lately`: active in the last 3 hours."""
        listed = self.list_metrics(LATELY if lately else {})
        return sorted({one for metric in listed for one in self._series_to_read(metric)})

    def list_metrics(self, only: dict[str, str]) -> Iterator[dict[str, Any]]:
        """Yields the CloudWatch metrics that ListMetrics returns for the namespace.

        `only` holds further parameters of the request, such as a metric's name.
        """
        parameters = {"Namespace": self.mapped.namespace, **only}
        for page in self._each("ListMetrics", parameters, LISTING_PRICE):
            yield from page["Metrics"]

    def _series_to_read(self, metric: dict[str, Any]) -> Iterator[Series]:
        """Yields the series to read of a listed metric; none if its dimensions are others."""
        given = {dimension["Name"]: dimension["Value"] for dimension in metric["Dimensions"]}
        if set(given) == set(self.mapped.names):
            named = tuple((name, given[name]) for name in self.mapped.names)
            for name, statistic, _ in self.mapped.metrics.readings:
                if name == metric["MetricName"]:
                    yield Series(named, name, statistic)

    def read_samples(
        self, series: Sequence[Series], first: date, last: date, period: int
    ) -> list[Sample]:
        """Returns the datapoints of CloudWatch series on the days `first` to `last`, oldest first.

        `period` is the number of seconds that each datapoint covers.
        """
        found = [
            sample
            for start in range(0, len(series), QUERIES)
            for sample in self._batch(series[start : start + QUERIES], first, last, period)
        ]
        return sort_samples(found)

    def _batch(
        self, series: Sequence[Series], first: date, last: date, period: int
    ) -> Iterator[Sample]:
        """Yields the datapoints of up to 500 series, the most that one request may name."""
        by_id = {f"m{number}": one for number, one in enumerate(series)}
        request = {
            "MetricDataQueries": [self._query(id_, one, period) for id_, one in by_id.items()],
            **time_range(first, last),
        }
        states: dict[str, str] = {}
        for result in self._results(request):
            states[result["Id"]] = _state(result)
            yield from self.to_samples(result, by_id[result["Id"]], period)
        self._refuse_incomplete(request, states.values())

    def _results(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for page in self.data_pages(request, METRIC_PRICE * len(request["MetricDataQueries"])):
            self._refuse_incomplete(request, map(_message_text, page.get("Messages", [])))
            yield from page["MetricDataResults"]

    def _refuse_incomplete(self, request: dict[str, Any], states: Iterable[str]) -> None:
        """Raises `SourceError` if a state is not `Complete`, and drops the answer from the cache.

        A page in between may be `PartialData`; only the last state of each series must be
        `Complete`.
        """
        for state in states:
            if state != "Complete":
                self.cache.drop(self._question("GetMetricData", request))
                raise SourceError(
                    "CloudWatch did not answer in full", value=state, remedy="run again later"
                )

    def data_pages(self, request: dict[str, Any], price: Decimal) -> Iterator[dict[str, Any]]:
        """Yields every page of a GetMetricData answer; each page not cached costs `price`."""
        for page in self._each("GetMetricData", request, price):
            self.request_ids.append(page["ResponseMetadata"]["RequestId"])
            for result in page["MetricDataResults"]:
                result["Timestamps"] = [datetime.fromisoformat(at) for at in result["Timestamps"]]
            yield page

    def _each(
        self, operation: str, request: dict[str, Any], price: Decimal
    ) -> Iterator[dict[str, Any]]:
        """Yields every page that a CloudWatch operation returns for a request."""
        token = ""
        while True:
            with aws.refusals(f"cloudwatch:{operation}"):
                page = self._page(operation, request, price, token)
            yield page
            token = page.get("NextToken", "")
            if not token:
                return

    def _page(
        self, operation: str, request: dict[str, Any], price: Decimal, token: str
    ) -> dict[str, Any]:
        """Returns one page of a CloudWatch answer, from the cache if it was paid for already."""

        def ask() -> dict[str, Any]:
            more = {"NextToken": token} if token else {}
            response = self._meter.call(xform_name(operation), price, **request, **more)
            called = {"RequestId": response["ResponseMetadata"]["RequestId"]}
            return _as_json({**response, "ResponseMetadata": called})

        question = self._question(operation, request)
        try:
            return self.cache.get_or_ask(question, ask, after=token)
        except ClientError:
            self.cache.drop(question)
            raise

    def _question(self, operation: str, request: dict[str, Any]) -> list[Any]:
        return [self.account, self.client.meta.region_name, operation, _as_json(request)]

    def _query(self, id_: str, one: Series, period: int) -> dict[str, Any]:
        metric = {
            "Namespace": self.mapped.namespace,
            "MetricName": one.metric,
            "Dimensions": [{"Name": name, "Value": value} for name, value in one.dimensions],
        }
        stat = {"Metric": metric, "Period": period, "Stat": one.statistic}
        return {"Id": id_, "MetricStat": stat}

    def to_samples(self, result: dict[str, Any], one: Series, period: int) -> Iterator[Sample]:
        """Converts the datapoints of one CloudWatch series on one page to samples."""
        for moment, value in zip(result["Timestamps"], result["Values"], strict=True):
            yield self._sample(one, period, moment, value)

    def _sample(self, one: Series, period: int, moment: datetime, value: float) -> Sample:
        return {
            "timestamp": moment.astimezone(UTC).replace(tzinfo=None),
            "source": self.source,
            "account": self.account,
            "region": self.client.meta.region_name,
            "namespace": self.mapped.namespace,
            "dimensions": json.dumps(dict(one.dimensions), sort_keys=True),
            "named_by": self.mapped.named_by,
            "metric": one.metric,
            "statistic": one.statistic,
            "period": period,
            "value": value,
        }


def _state(result: dict[str, Any]) -> str:
    """Returns a CloudWatch series' status code and messages as one text."""
    return " ".join([str(result["StatusCode"]), *map(_message_text, result.get("Messages", []))])


def _message_text(message: dict[str, str]) -> str:
    return f"{message.get('Code')}: {message.get('Value')}"


def _as_json(response: dict[str, Any]) -> dict[str, Any]:
    """Converts a response to plain JSON types; times become ISO text."""
    found: dict[str, Any] = json.loads(json.dumps(response, default=datetime.isoformat))
    return found


def time_range(first: date, last: date) -> dict[str, Any]:
    """Returns start, end and order of a CloudWatch request: whole UTC days, oldest first."""
    return {
        "StartTime": midnight(first),
        "EndTime": midnight(last + timedelta(days=1)),
        "ScanBy": "TimestampAscending",
    }

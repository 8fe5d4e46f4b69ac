"""Reads every mapped CloudWatch series with one SEARCH request, unless some might be missing.

SEARCH shows at most `SHOWN` series, has no second page (a math expression gets no token) and names
a series only by its label. So the answer counts only where nothing can be missing: fewer series
than would fit, no message from CloudWatch, each series complete, all labels different. Otherwise it
is None, and the caller lists the series and reads each.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from ingest.aws.metrics.datapoints import METRIC_PRICE, MetricsApi, time_range
from ingest.aws.metrics.samples import Sample, Series, sort_samples
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping

SHOWN = 500
"""Most series that one request returns; if it returns this many, there may be more."""
PRICE: Decimal = METRIC_PRICE * SHOWN
"""Dollars: AWS bills each returned series, so the most that may be returned is assumed."""
LONGEST = 1024
"""Most characters of a SEARCH term."""
APART = "\u241f"
"""Separates the parts of a label; names in CloudWatch are ASCII, so none contains it."""
UNQUOTABLE = "\"'\\{}"
Dimensions = tuple[tuple[str, str], ...]
Found = dict[tuple[str, str], list[dict[str, Any]]]
"""The parts of an answer, by query and label."""


def search_samples(
    metrics: MetricsApi, first: date, last: date, period: int
) -> list[Sample] | None:
    """Reads some days' mapped samples by one CloudWatch SEARCH; None if any may be missing."""
    readings = metrics.mapped.metrics.readings
    queries = [
        {
            "Id": f"s{number}",
            "Expression": f"SEARCH('{_query(metrics.mapped, metric)}', '{statistic}', {period})",
            "Label": label(metrics.mapped),
        }
        for number, (metric, statistic, _) in enumerate(readings)
    ]
    found = _complete_answer(metrics, {"MetricDataQueries": queries, **time_range(first, last)})
    if found is None:
        return None
    samples: list[Sample] = []
    for (id_, name), parts in found.items():
        metric, statistic, _ = readings[int(id_[1:])]
        named = _parse_label(name, metrics.mapped, metric)
        if named is None:
            return None
        account, dimensions = named
        if account == metrics.account:  # a monitoring account finds those of others, too
            series = Series(dimensions, metric, statistic)
            samples += (one for part in parts for one in metrics.to_samples(part, series, period))
    return sort_samples(samples)


def unsearchable_name(mapped: CloudWatchMapping) -> str:
    """Returns the first name or query that CloudWatch SEARCH cannot take, or "" if all are fine."""
    names = [mapped.namespace, *mapped.names, *(r.metric for r in mapped.metrics.readings)]
    odd = next((name for name in names if set(name) & set(UNQUOTABLE)), "")
    if odd:
        return odd
    queries = (_query(mapped, reading.metric) for reading in mapped.metrics.readings)
    return next((query for query in queries if len(query) > LONGEST), "")


def label(mapped: CloudWatchMapping) -> str:
    """Builds the CloudWatch label template that shows a series' account, metric and dimensions."""
    properties = ("AccountId", "MetricName", *(f"Dim.{name}" for name in mapped.names))
    return APART.join(f"${{PROP('{one}')}}" for one in properties)


def _query(mapped: CloudWatchMapping, metric: str) -> str:
    """Returns the SEARCH term for series with exactly the mapped dimensions and this metric."""
    schema = ",".join(f'"{name}"' for name in (mapped.namespace, *mapped.names))
    return f'{{{schema}}} MetricName="{metric}"'


def _complete_answer(metrics: MetricsApi, request: dict[str, Any]) -> Found | None:
    """Returns the parts of a SEARCH answer by query id and label; None if it may be incomplete."""
    found: Found = {}
    for page in metrics.data_pages(request, PRICE):
        results = {(one["Id"], one["Label"]): one for one in page["MetricDataResults"]}
        if page.get("Messages") or len(results) < len(page["MetricDataResults"]):
            return None
        for name, result in results.items():
            found.setdefault(name, []).append(result)
    complete = all(parts[-1]["StatusCode"] == "Complete" for parts in found.values())
    return found if complete and len(found) < SHOWN else None


def _parse_label(
    name: str, mapped: CloudWatchMapping, metric: str
) -> tuple[str, Dimensions] | None:
    """Parses a CloudWatch label to account and dimensions; None if a part is missing or wrong."""
    parts = name.split(APART)
    if len(parts) != len(mapped.names) + 2 or any(not part or "${" in part for part in parts):
        return None
    account, called, *values = parts
    if called != metric or not account.isdigit():
        return None
    return account, tuple(zip(mapped.names, values, strict=True))

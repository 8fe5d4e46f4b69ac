"""Predicts what a month of CloudWatch costs: listings, and each requested metric."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from math import ceil

from ingest.aws.metrics import datapoints, search
from ingest.estimate.prediction import Prediction
from ingest.estimate.scale import Scale
from ingest.source import Source
from models.formats.machines.utilisation import METRICS

POINTS = 100_800
"""Datapoints that one page of CloudWatch holds."""


def cloudwatch(
    empty: Prediction, source: Source, pulls: list[datetime], scale: Scale
) -> Prediction:
    """Predicts a month's requests and dollars of the CloudWatch progress feed.

    The first pull of each day looks two days further back than later ones. Where metrics are found
    by SEARCH, one search a pull is added.
    """
    series = scale.workloads * scale.runs * scale.metrics
    listed = max(1, ceil(series / 500))
    searches = getattr(source.options, "find", "list") == "search"
    requests = len(pulls) if searches else 0
    dollars = requests * search.PRICE
    for number, pull in enumerate(pulls):
        first = not any(other.date() == pull.date() for other in pulls[:number])
        pages = _metric_pages(series, (3 if first else 1) * scale.samples)
        requests += listed + sum(pages.values())
        dollars += listed * datapoints.LISTING_PRICE
        dollars += sum(size * count for size, count in pages.items()) * datapoints.METRIC_PRICE
    return replace(empty, requests=requests, dollars=dollars)


def utilisation(empty: Prediction, _: Source, pulls: list[datetime], scale: Scale) -> Prediction:
    """Predicts a month's requests and dollars of reading from CloudWatch how busy machines are.

    Each pull lists every metric name and reads every series once. One page of answers holds more
    hours than a pull needs.
    """
    series = scale.workloads * scale.devices
    listed = len(METRICS) + series // 500
    pages = len({one.namespace for one in METRICS}) + series // datapoints.QUERIES
    each = listed * datapoints.LISTING_PRICE + series * datapoints.METRIC_PRICE
    return replace(empty, requests=len(pulls) * (listed + pages), dollars=len(pulls) * each)


def _metric_pages(series: int, samples: int) -> dict[int, int]:
    """Maps a number of metrics per page to how many such CloudWatch pages a pull reads."""
    whole, left = divmod(series, datapoints.QUERIES)
    sizes = {datapoints.QUERIES: whole, left: 1 if left else 0}
    return {size: count * ceil(size * samples / POINTS) for size, count in sizes.items()}

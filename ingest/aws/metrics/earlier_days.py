"""Finds runs that began before the requested days, so that their earlier samples are read too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date

from ingest.aws.metrics.samples import Sample, Series, series_key
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping

EPOCH = 1.0
"""A run whose first sample is above this had begun earlier (METHOD §3.1)."""


def series_of_runs_in_progress(
    samples: Sequence[Sample], mapped: CloudWatchMapping, first: date
) -> list[Series]:
    """Returns, sorted, the CloudWatch series of runs that may have begun before the day `first`.

    A run may have if it has a sample on `first`, or if its first sample is above one epoch (METHOD
    §3.1). `samples` are in order of time, none older than `first`.
    """
    newest_first = reversed(samples)
    begins = {series_key(sample): sample for sample in newest_first}.values()
    gauges = {
        (metric, statistic)
        for metric, statistic, meaning in mapped.metrics.readings
        if meaning == "epoch" and statistic == "Maximum"
    }
    runs = {
        sample["dimensions"]
        for sample in begins
        if sample["timestamp"].date() == first
        or ((sample["metric"], sample["statistic"]) in gauges and sample["value"] > EPOCH)
    }
    return sorted(_series(mapped, (one for one in begins if one["dimensions"] in runs)))


def _series(mapped: CloudWatchMapping, samples: Iterable[Sample]) -> Iterable[Series]:
    for sample in samples:
        given = json.loads(sample["dimensions"])
        named = tuple((name, given[name]) for name in mapped.names)
        yield Series(named, sample["metric"], sample["statistic"])

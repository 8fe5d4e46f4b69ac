"""Runs that began before the days that were asked for: CloudWatch may still have what they did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date

from ingest.aws.metrics.datapoints import Sample, Series, series_of
from models.config.metrics import Mapped

EPOCH = 1.0
"""A run that is first seen beyond it did not begin there (METHOD §3.1)."""


def midway(samples: Sequence[Sample], mapped: Mapped, first: date) -> list[Series]:
    """The series of each run that is at work on `first`, or first seen beyond an epoch; in order.

    `samples` are in order of time and none is older than `first`.
    """
    newest_first = reversed(samples)
    begins = {series_of(sample): sample for sample in newest_first}.values()
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


def _series(mapped: Mapped, samples: Iterable[Sample]) -> Iterable[Series]:
    for sample in samples:
        given = json.loads(sample["dimensions"])
        named = tuple((name, given[name]) for name in mapped.names)
        yield Series(named, sample["metric"], sample["statistic"])

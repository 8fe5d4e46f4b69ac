"""Finds runs that began before the requested days, so that their earlier samples are read too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise
from statistics import median

from ingest.aws.metrics.samples import Sample, Series, series_key
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping

EPOCH = 1.0
DISTANCES = 10
"""A run whose first sample is above one epoch, or ten usual rises, had begun earlier (METHOD §3.1).

Sums per period do not show it: each of their runs may have.
"""


def series_of_runs_in_progress(
    samples: Sequence[Sample], mapped: CloudWatchMapping, first: date
) -> list[Series]:
    """Returns, sorted, the CloudWatch series of runs that may have begun before the day `first`.

    A run may have if it has a sample on `first`, or if its first one may follow others (METHOD
    §3.1). `samples` are in order of time, none older than `first`.
    """
    meanings = {(one.metric, one.statistic): one.meaning for one in mapped.metrics.readings}
    by_series: dict[tuple[str, ...], list[Sample]] = {}
    for sample in samples:
        by_series.setdefault(series_key(sample), []).append(sample)
    begins = [of_series[0] for of_series in by_series.values()]
    means = [meanings[begin["metric"], begin["statistic"]] for begin in begins]
    named = [begin["dimensions"] for begin in begins]
    in_epochs = {run for run, meaning in zip(named, means, strict=True) if meaning == "epoch"}
    runs = {
        run
        for run, meaning, of_series in zip(named, means, by_series.values(), strict=True)
        if of_series[0]["timestamp"].date() == first
        or ((meaning == "epoch" or run not in in_epochs) and _may_follow_others(of_series, meaning))
    }
    return sorted(_series(mapped, (one for one in begins if one["dimensions"] in runs)))


def _may_follow_others(samples: Sequence[Sample], meaning: str) -> bool:
    """Whether a counter of CloudWatch may have had samples before its first known one."""
    values: list[float] = [sample["value"] for sample in samples]
    if samples[0]["statistic"] == "Sum":
        return True
    if meaning == "epoch":
        return values[0] > EPOCH
    moved = [abs(one - before) for before, one in pairwise(values) if one != before]
    usual = median(moved) if moved else 0
    return meaning in ("samples", "tokens") and values[0] > usual * DISTANCES


def _series(mapped: CloudWatchMapping, samples: Iterable[Sample]) -> Iterable[Series]:
    for sample in samples:
        given = json.loads(sample["dimensions"])
        named = tuple((name, given[name]) for name in mapped.names)
        yield Series(named, sample["metric"], sample["statistic"])

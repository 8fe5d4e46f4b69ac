"""Merges new datapoints of a day with those delivered before, so that no day loses samples.

CloudWatch aggregates old datapoints and forgets old series. Each series of a day is taken whole
from one of the two answers, so that no time counts twice: of a sum the answer with the higher
total, in however few periods; of all else the one with more samples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

import pyarrow.parquet as pq

from ingest.aws.metrics.samples import Sample, series_key, sort_samples
from models.raw.delivery import Delivery

PLACES = 9
"""Decimal places to which totals are compared: the order of adding doubles changes later ones."""


def merge_with_delivered(found: list[Sample], live: Delivery | None) -> list[Sample]:
    """Merges a day's new and delivered samples: of each series the one with more is taken.

    Fuller is a `Sum` with the higher total, and all else with more samples; of equals the new ones.
    """
    delivered = _by_series(_samples(live) if live else [])
    new = _by_series(found)
    better = {
        key for key, samples in new.items() if _rank(samples) >= _rank(delivered.get(key, []))
    }
    chosen = delivered | {key: new[key] for key in better}
    return sort_samples(sample for samples in chosen.values() for sample in samples)


def _samples(live: Delivery) -> list[Sample]:
    """Returns the metric samples in a live delivery's files."""
    rows = [row for path in live.paths for row in pq.read_table(path).to_pylist()]
    return [row if "dimensions" in row else _emitted(row, live) for row in rows]


def _emitted(row: Sample, live: Delivery) -> Sample:
    """Converts a metric sample of the older row format, which only named `run` and `workload`."""
    named = {"Run": row.pop("run"), "Workload": row.pop("workload")}
    own = {"dimensions": json.dumps(named), "named_by": json.dumps(list(named))}
    return {**row, **own, "source": live.key.source}


def _by_series(samples: Iterable[Sample]) -> dict[tuple[str, ...], list[Sample]]:
    series: dict[tuple[str, ...], list[Sample]] = {}
    for sample in samples:
        series.setdefault(series_key(sample), []).append(sample)
    return series


def _rank(samples: list[Sample]) -> tuple[float, int, int]:
    """Ranks a series' samples: by total of `Sum` samples, then number, then shorter period."""
    summed = [sample["value"] for sample in samples if sample["statistic"] == "Sum"]
    longest = max((sample["period"] for sample in samples), default=0)
    return round(math.fsum(summed), PLACES), len(samples), -longest

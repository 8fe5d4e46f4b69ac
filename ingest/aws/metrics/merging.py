"""The fullest answer for a day: CloudWatch thins old data out, and forgets series it once knew.

Each series of a day is taken whole from one answer, so its time is never told twice. Of a sum the
answer that counted more says more, in however few periods; of all else the one with more samples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

import pyarrow.parquet as pq

from ingest.aws.metrics.datapoints import Sample, in_order, series_of
from models.raw.zone import Delivery

PLACES = 9
"""Of a count; adding doubles in another order differs far below."""


def fullest(found: list[Sample], live: Delivery | None) -> list[Sample]:
    """What was found, and for each series that it says less of, what is live."""
    kept = _by_series(_samples(live) if live else [])
    told = _by_series(found)
    better = {key for key, samples in told.items() if _says(samples) >= _says(kept.get(key, []))}
    chosen = kept | {key: told[key] for key in better}
    return in_order(sample for samples in chosen.values() for sample in samples)


def _samples(live: Delivery) -> list[Sample]:
    rows = [row for path in live.paths for row in pq.read_table(path).to_pylist()]
    return [row if "dimensions" in row else _emitted(row, live) for row in rows]


def _emitted(row: Sample, live: Delivery) -> Sample:
    """A sample from before series were told apart by all that CloudWatch calls them."""
    named = {"Run": row.pop("run"), "Workload": row.pop("workload")}
    own = {"dimensions": json.dumps(named), "named_by": json.dumps(list(named))}
    return {**row, **own, "source": live.key.source}


def _by_series(samples: Iterable[Sample]) -> dict[tuple[str, ...], list[Sample]]:
    series: dict[tuple[str, ...], list[Sample]] = {}
    for sample in samples:
        series.setdefault(series_of(sample), []).append(sample)
    return series


def _says(samples: list[Sample]) -> tuple[float, int, int]:
    """What was counted, in how many samples, how fine."""
    summed = [sample["value"] for sample in samples if sample["statistic"] == "Sum"]
    longest = max((sample["period"] for sample in samples), default=0)
    return round(math.fsum(summed), PLACES), len(samples), -longest

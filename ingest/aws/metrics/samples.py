"""Defines a series of CloudWatch, and a sample of one as it is delivered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("timestamp", pa.timestamp("us")),
        *((name, pa.string()) for name in ("source", "account", "region", "namespace")),
        *((name, pa.string()) for name in ("dimensions", "named_by", "metric", "statistic")),
        ("period", pa.int32()),
        ("value", pa.float64()),
    ]
)
Sample = dict[str, Any]


@dataclass(frozen=True, order=True)
class Series:
    """One CloudWatch metric with its dimensions and the statistic to read."""

    dimensions: tuple[tuple[str, str], ...]
    metric: str
    statistic: str


def sort_samples(samples: Iterable[Sample]) -> list[Sample]:
    """Sorts CloudWatch samples by time, then by series."""
    return sorted(samples, key=lambda sample: (sample["timestamp"], *series_key(sample)))


def series_key(sample: Sample) -> tuple[str, ...]:
    """Returns the key of a CloudWatch sample's series: namespace, dimensions, metric, statistic."""
    return tuple(sample[name] for name in ("namespace", "dimensions", "metric", "statistic"))

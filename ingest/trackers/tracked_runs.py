"""Groups the runs of a tracker by the day on which they began, and names those of no workload."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa

LATEST = 253_402_300_799
"""The last second of the year 9999."""
Document = dict[str, Any]
Run = TypeVar("Run")
Named = tuple[str, str]
"""A run's name, and its tags as a JSON object."""


def columns(collection: str, *own: tuple[str, pa.DataType]) -> pa.Schema:
    """Returns the columns of values that runs logged: those of every tracker, then `own` ones.

    `collection` is what the tracker calls a group of runs: experiment or project.
    """
    texts = ("source", collection, "run_id", "run_name", "status", "Tags", "metric")
    return pa.schema(
        [
            ("timestamp", pa.timestamp("us")),
            *((name, pa.string()) for name in texts),
            ("value", pa.float64()),
            ("step", pa.int64()),
            *own,
        ]
    )


def runs_by_day(
    runs: Iterable[Run], name: Callable[[Run], str], began: Callable[[Run], datetime]
) -> dict[str, list[Run]]:
    """Groups runs by the UTC day on which they began, both in order; runs by their unique name."""
    days: dict[str, list[Run]] = {}
    for run in sorted(runs, key=name):
        days.setdefault(f"{began(run):%Y-%m-%d}", []).append(run)
    return dict(sorted(days.items()))


def unnamed_workloads(
    collection: str, runs: Iterable[Named], workload: str, places: str
) -> Iterator[str]:
    """Yields a notice on the runs whose tags do not have the key `workload`.

    `places` says where a run could have it: a tag or a parameter.
    """
    named = list(runs)
    unnamed = [name for name, tags in named if workload not in json.loads(tags)]
    if unnamed:
        yield (
            f"{collection}: {len(unnamed)} of {len(named)} runs, such as {unnamed[0]}, have "
            f"neither {places} `{workload}`: set it, or `workload` in the config"
        )


def instant(seconds: float) -> datetime:
    """Converts a tracker's time to UTC; one beyond the years 1970 to 9999 to the nearest of them.

    Who logs a value may give it any time, in microseconds by mistake.
    """
    return datetime.fromtimestamp(min(max(seconds, 0), LATEST), UTC)

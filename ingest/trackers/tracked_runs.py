"""Groups the runs of a tracker by the day on which they began, and names those with bad tags.

A tag is bad that does not name the workload, or should be a number and is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import pyarrow as pa

from models.formats.progress.run_trackers import NUMBERS, PER_STEP
from models.intake.malformed_files import shown

LATEST = 253_402_300_799
"""The last second of the year 9999."""
LARGEST = Decimal("1e29")
NOTHING = ("", "null", "none")
"""What trackers write, in any case, for a value that is not set."""
Document = dict[str, Any]
Run = TypeVar("Run")
Named = tuple[str, str]
"""A run's name, and its tags as a JSON object."""


def columns(collection: str, *own: tuple[str, pa.DataType]) -> pa.Schema:
    """Returns the Arrow schema for values that runs logged: common columns, then `own` ones.

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
    """Maps each UTC day to the runs that began on it, both in order."""
    days: dict[str, list[Run]] = {}
    for run in sorted(runs, key=name):
        days.setdefault(f"{began(run):%Y-%m-%d}", []).append(run)
    return dict(sorted(days.items()))


def unnamed_workloads(
    collection: str, runs: Iterable[Named], workload: str, places: str
) -> Iterator[str]:
    """Yields one notice, if any runs have no tag for the workload.

    `places` says where a run could have it: a tag or a parameter.
    """
    named = list(runs)
    unnamed = [name for name, tags in named if workload not in json.loads(tags)]
    if unnamed:
        yield (
            f"{collection}: {len(unnamed)} of {len(named)} runs, such as {unnamed[0]}, have "
            f"neither {places} `{workload}`: set it, or `workload` in the config"
        )


def unreadable_numbers(collection: str, runs: Iterable[Named]) -> Iterator[str]:
    """Yields one notice, if tags that should be numbers are not: those tags do not count.

    A step of 0 tokens or samples is no number either. What is not set needs no notice.
    """
    every = ((name, json.loads(tags)) for name, tags in runs)
    wrong = [
        (name, key, tags[key])
        for name, tags in every
        for key in NUMBERS
        if key in tags and not _is_number(f"{tags[key]}".strip(), positive=key in PER_STEP.values())
    ]
    if wrong:
        name, key, value = wrong[0]
        more = f", and so are {len(wrong) - 1:,} more" if wrong[1:] else ""
        yield (
            f"{collection}: {key} of run {name} does not count, as it is not a number: "
            f"{shown(f'{value}')}{more}: write it as 4194304"
        )


def _is_number(text: str, *, positive: bool) -> bool:
    if text.lower() in NOTHING:
        return True
    with suppress(InvalidOperation):
        number = Decimal(text)
        return (
            text.isascii()
            and number.is_finite()
            and abs(number) < LARGEST
            and (number > 0 or not positive)
        )
    return False


def instant(seconds: float) -> datetime:
    """Converts a tracker's time to UTC; one beyond the years 1970 to 9999 to the nearest of them.

    Who logs a value may give it any time, in microseconds by mistake.
    """
    return datetime.fromtimestamp(min(max(seconds, 0), LATEST), UTC)

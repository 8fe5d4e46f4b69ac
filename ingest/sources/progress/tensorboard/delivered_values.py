"""Writes the progress values of an event file to Parquet, some thousand rows at a time.

What stands for none is passed over; what should and cannot is left out and said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.sources.progress.tensorboard.event_files import Labels
from ingest.sources.progress.tensorboard.events import Message, number_of, parsed_event, text_of
from ingest.sources.progress.tensorboard.left_out import LeftOut
from ingest.sources.progress.tensorboard.options import Meaning
from ingest.sources.progress.tensorboard.records import not_an_event_file, records
from ingest.trackers.max_steps import (
    ARGUMENTS,
    EPOCH,
    is_share,
    max_steps_of,
)
from models.formats.progress.run_trackers import LARGEST, YEARS

SCHEMA = pa.schema(
    [
        ("timestamp", pa.timestamp("us")),
        *((name, pa.string()) for name in ("source", "run_name", "Tags", "metric")),
        ("value", pa.float64()),
        ("step", pa.int64()),
        ("lightning", pa.bool_()),
    ]
)
ROWS = 1 << 14
"""Rows of one write: what is held in memory of a file."""
FIRST, LAST = YEARS
EARLIEST, LATEST = (datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (FIRST, LAST + 1))
"""A value of another time comes from a clock that was never set."""
SHOWN = 5
"""Most tags that a notice names."""
SHARE = "equal to the share of max_steps that is done, so no epoch"
Row = dict[str, Any]


def write_values(
    source: Path,
    target: Path,
    uri: str,
    labels: Labels,
    meaning: Meaning,
    left_out: LeftOut,
) -> int:
    """Writes the values of an event file's mapped metrics to Parquet; returns how many.

    Raises `InputError` for a file of another kind.
    """
    if labels.get("lightning"):
        meaning = meaning.with_lightnings_loss()
    written, rows = 0, _Values(source, uri, meaning, left_out).rows()
    with pq.ParquetWriter(target, SCHEMA, compression="zstd") as writer:
        while part := [{**labels, **row} for row in islice(rows, ROWS)]:
            writer.write_table(pa.Table.from_pylist(part, schema=SCHEMA))
            written += len(part)
    return written


class _Values:
    """Reads one event file's mapped values, and counts what of it is left out."""

    def __init__(self, source: Path, uri: str, meaning: Meaning, left_out: LeftOut) -> None:
        self.source, self.uri, self.meaning, self.left_out = source, uri, meaning, left_out
        self.tags = {tag.encode(): metric for tag, metric in meaning.metrics.items()}
        self.others: dict[str, bool] = {}
        """Tags of scalars that stand for no progress, the first few."""
        self.loss = ""
        """The first tag that is named as a loss and mapped to none."""
        self.max_steps = 0
        """How many steps Hugging Face's trainer was told to do."""

    def rows(self) -> Iterator[Row]:
        """Yields a row per usable mapped value of an event file; counts the unusable ones."""
        counted, losses = 0, 0
        for event, value in self._values():
            metric = self.tags.get(value.tag)
            if metric is None:
                self._pass_over(value)
                continue
            number = number_of(value)
            why = self._fault(metric, number, event, value.tag)
            if why or number is None:
                where = f"{metric} = {number} at step {event.step:,} of {self.uri}"
                self.left_out.add("value", why, where)
                if why == SHARE:
                    yield _row(metric, math.nan, event)  # its step may count
                continue
            counted += 1
            losses += metric not in self.meaning.counters
            yield from self._rows(metric, number, event)
        if counted and not losses and self.loss:
            why = f"of {self.loss}, so that no loss is known (name it in `metrics.loss`)"
            self.left_out.add("value", why, self.uri)
        if not counted and self.others:
            metric_names = ", ".join(self.meaning.metrics)
            why = f"without any of {metric_names} (name yours in `metrics`)"
            self.left_out.add("file", why, f"{self.uri}, which has {', '.join(self.others)}")

    def _values(self) -> Iterator[tuple[Message, Message]]:
        """Yields (event, value) for each value of a file; `InputError` if no record is an event."""
        seen = known = False
        for record in records(self.source, self.uri, self.left_out):
            seen, event = True, parsed_event(record)
            if event is not None:
                known = True
                yield from ((event, value) for value in event.summary.value)
        if seen and not known:
            raise not_an_event_file(self.uri, "no record is an event")

    def _pass_over(self, value: Message) -> None:
        """Stores the tag of a scalar that is not mapped, or a trainer's `max_steps`."""
        if value.tag == ARGUMENTS:
            self.max_steps = max_steps_of(text_of(value))
        tag = value.tag.decode("utf-8", "replace")
        if number_of(value) is None:
            return
        if len(self.others) < SHOWN:
            self.others[tag] = True
        if "loss" in tag.lower():
            self.loss = self.loss or tag

    def _fault(self, metric: str, number: float | None, event: Message, tag: bytes) -> str:
        """Returns text saying why a mapped value is not used; empty if it is."""
        if number is None:
            return "other than one number"
        if not EARLIEST <= event.wall_time < LATEST:
            return f"from before {FIRST} or after {LAST}"
        if metric in self.meaning.counters and not 0 <= number <= LARGEST:
            return "that no counter can have"
        if tag == EPOCH and is_share(number, event.step, self.max_steps):
            return SHARE
        return ""

    def _rows(self, metric: str, number: float, event: Message) -> Iterator[Row]:
        """Yields a value's row and, where steps are counted as a metric, one of its step."""
        counted = self.meaning.step
        row = _row(metric, number, event)
        yield row | {"step": None} if counted else row
        if counted:
            done = float(event.step + self.meaning.first_step)
            yield row | {"metric": counted, "value": done, "step": None}


def _row(metric: str, number: float, event: Message) -> Row:
    """Returns the row of a value of an event, with its training step."""
    at = datetime.fromtimestamp(event.wall_time, UTC).replace(tzinfo=None)
    step = None if event.step < 0 else event.step
    return {"timestamp": at, "metric": metric, "value": number, "step": step}

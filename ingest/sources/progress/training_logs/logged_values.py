"""The rows of a training log, and of earlier deliveries for steps that the log no longer has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.files.store import FileEntry
from ingest.sources.progress.training_logs.delivered_losses import DeliveredLosses, Losses
from models.raw.staging import Staging

SCHEMA = pa.schema(
    [
        ("timestamp", pa.timestamp("us")),
        *((name, pa.string()) for name in ("source", "file", "run_name", "Tags", "began")),
        ("part", pa.int64()),
        ("entry", pa.int64()),
        ("step", pa.int64()),
        ("metric", pa.string()),
        ("value", pa.float64()),
    ]
)
AT_ONCE = 1 << 20
"""Rows that get the columns with one value at a time: these take most of the memory."""


@dataclass(frozen=True)
class LoggedValues:
    """What was read of a training log: rows with entry, step, metric and value; notices.

    `covers` is the first and the last step of the log, of rows that were left out too. `part` says
    which of several logs of a run counts for a step: the highest. `began` identifies its first
    entry. `resumed` says that the first row is the last of the run before.
    """

    rows: pa.Table
    covers: tuple[int, int] | None
    part: int = 0
    began: str | None = None
    resumed: bool = False
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EarlierRun:
    """The run that another run resumed: name, log files, and losses delivered earlier."""

    name: str
    logs: list[FileEntry]
    delivered: DeliveredLosses

    @property
    def losses(self) -> Losses:
        """Returns the run's delivered (step, loss) pairs if its log files are gone; else none."""
        gone = self.name and not self.logs
        return self.delivered.by_run.get(self.name, Losses()) if gone else Losses()


def table_of(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Converts dicts of entry, step, metric and value to an Arrow table."""
    columns = [SCHEMA.field(name) for name in ("entry", "step", "metric", "value")]
    return pa.Table.from_pylist(list(rows), schema=pa.schema(columns))


def write_values(found: LoggedValues, about: dict[str, str], staging: Staging) -> list[str]:
    """Writes a log's rows, and earlier delivered rows of steps it no longer has; notices these.

    Returns a notice on the latter, if any. A trainer that starts again under the same name deletes
    its log, and a checkpoint may be deleted: a step that was reached stays reached.
    """
    own: dict[str, str | int | None] = {"timestamp": None, "part": found.part, "began": found.began}
    earlier = _earlier_steps(staging, found)
    with pq.ParquetWriter(staging.next_path, SCHEMA, compression="zstd") as file:
        for rows, same in ((found.rows, own | about), (earlier, about)):
            for start in range(0, rows.num_rows, AT_ONCE):
                file.write_table(_completed(rows.slice(start, AT_ONCE), same))
    if not earlier.num_rows:
        return []
    first, last = pc.min(earlier["step"]).as_py(), pc.max(earlier["step"]).as_py()
    return [f"{about['file']} has steps {first} to {last} no more: they stay as delivered before"]


def beginning(path: Path) -> dict[str, Any]:
    """Returns a delivered log's first row as a dict, with the log's lowest step as `step`.

    The rows of a long log take gigabytes, so only the file's footer and the first row are read.
    """
    with pq.ParquetFile(path) as file:
        first: dict[str, Any] = next(file.iter_batches(batch_size=1)).to_pylist()[0]
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        steps = [group.column(SCHEMA.get_field_index("step")).statistics.min for group in groups]
    return first | {"step": min(steps)}


def _completed(rows: pa.Table, same: Mapping[str, str | int | None]) -> pa.Table:
    """Returns rows with all columns of a delivery; those in `same` have one repeated value."""
    columns = [
        pa.repeat(pa.scalar(same[name], dtype), rows.num_rows)
        if name in same
        else rows[name].cast(dtype)
        for name, dtype in zip(SCHEMA.names, SCHEMA.types, strict=True)
    ]
    return pa.table(columns, schema=SCHEMA)


def _earlier_steps(staging: Staging, found: LoggedValues) -> pa.Table:
    """Returns the delivered rows whose steps lie before or after the log's first and last."""
    live = staging.zone.current(staging.key)
    if live is None or not live.present or found.covers is None:
        return SCHEMA.empty_table()
    first, last = found.covers
    outside = (pc.field("step") < first) | (pc.field("step") > last)
    return pa.concat_tables([pq.read_table(path, filters=outside) for path in live.paths])

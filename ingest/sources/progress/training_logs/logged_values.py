"""The rows of a training log, and what was delivered before of steps that a log no longer has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.files.store import FileEntry
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


@dataclass(frozen=True)
class LoggedValues:
    """What a training log holds: rows with entry, step, metric and value.

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
    """A run that was resumed: its name, its logs, and steps and losses of logs that vanished."""

    name: str
    logs: list[FileEntry]
    losses: set[tuple[int, float]]


def table_of(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Returns rows with entry, step, metric and value as a table."""
    columns = [SCHEMA.field(name) for name in ("entry", "step", "metric", "value")]
    return pa.Table.from_pylist(list(rows), schema=pa.schema(columns))


def write_values(found: LoggedValues, about: dict[str, str], staging: Staging) -> list[str]:
    """Writes a log's rows, and those delivered before of steps that it has no more.

    Returns a notice on these, if there are any. A trainer that starts again under the same name
    deletes its log, and a checkpoint may be deleted: a step that was reached stays reached.
    """
    told = found.rows.append_column(
        "part", pa.array([found.part] * found.rows.num_rows, pa.int64())
    )
    told = told.append_column("began", pa.array([found.began] * found.rows.num_rows, pa.string()))
    kept = _kept(staging, found)
    both = pa.concat_tables([told, *([kept] if kept else [])], promote_options="default")
    columns = [
        pa.array([about.get(name)] * both.num_rows, SCHEMA.field(name).type)
        if name in about or name == "timestamp"
        else both[name]
        for name in SCHEMA.names
    ]
    pq.write_table(pa.table(columns, schema=SCHEMA), staging.next_path, compression="zstd")
    if not kept:
        return []
    first, last = pc.min(kept["step"]).as_py(), pc.max(kept["step"]).as_py()
    return [f"{about['file']} has steps {first} to {last} no more: they stay as delivered before"]


def _kept(staging: Staging, found: LoggedValues) -> pa.Table | None:
    """Returns delivered rows of steps before or after those of a log; None if there are none."""
    live = staging.zone.current(staging.key)
    if live is None or not live.present or found.covers is None:
        return None
    first, last = found.covers
    table = pa.concat_tables([pq.read_table(path) for path in live.paths])
    gone = table.filter(pc.or_(pc.less(table["step"], first), pc.greater(table["step"], last)))
    names = ["entry", "step", "metric", "value", "part", "began"]
    return gone.select(names) if gone.num_rows else None

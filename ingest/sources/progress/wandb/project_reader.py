"""Writes what the runs of a W&B project logged: what is delivered already, and what is new."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.sources.progress.wandb.graphql import GraphQL
from ingest.sources.progress.wandb.history import History, Point
from ingest.sources.progress.wandb.listed_run import ListedRun
from ingest.sources.progress.wandb.wanted import LIGHTNING, Wanted
from ingest.trackers.tracked_runs import columns
from models.raw.staging import Staging

SCHEMA = columns(
    "project",
    ("history_step", pa.int64()),
    ("listed", pa.string()),
    ("lightning", pa.bool_()),
    ("read_as", pa.string()),
)
"""`step` is the training step, `history_step` W&B's own; `listed` shows whether a run changed.

`read_as` says how its metric was read; what was read otherwise is read anew.
"""
Row = dict[str, Any]


@dataclass
class ProjectReader:
    """Reads the runs of one W&B project, a day at a time."""

    source: str
    server: GraphQL
    project: str
    wanted: Wanted
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many values of each metric were left out, by reason; grows."""

    @property
    def unit(self) -> str:
        """The project's name with its entity."""
        return f"{self.server.entity}/{self.project}"

    @property
    def notices(self) -> Iterator[str]:
        """Yields a notice for each metric of which values were left out, and reason."""
        for (metric, why), number in sorted((+self.left_out).items()):
            yield f"left out: {number} values of {metric} in {self.project} {why}"

    def fill(self, runs: list[ListedRun], staging: Staging) -> None:
        """Writes a day's runs, or links the live delivery where none of them changed."""
        listed = {run.id: run.fingerprint(self.wanted) for run in runs}
        fingerprint = sha256(repr(listed).encode()).hexdigest()
        if known := staging.known(self.unit, fingerprint):
            staging.reuse(*known)
            return
        delivered = _delivered(staging)
        # deleted there, or listed without what is read of them
        unread = [row for id, rows in delivered.items() if id not in listed for row in rows]
        now = [
            row
            for run in runs
            for row in self._rows(run, delivered.get(run.id, []), listed[run.id])
        ]
        table = pa.Table.from_pylist([*now, *unread], schema=SCHEMA)
        pq.write_table(table, staging.next_path, compression="zstd")
        staging.add(staging.next_path, origin=self.unit, etag=fingerprint)

    def _rows(self, run: ListedRun, delivered: list[Row], listed: str) -> list[Row]:
        """Returns the rows of a run: as delivered if its listing is, else asked for."""
        if delivered and {row["listed"] for row in delivered} == {listed}:
            return delivered
        read_as = self.wanted.read_as(run)
        known: dict[str, list[Point]] = defaultdict(list)
        for row in delivered:
            if row.get("read_as") == read_as.get(row["metric"]):
                known[row["metric"]].append(Point(*(row[name] for name in Point._fields)))
        history = History(self.server, self.project, run, self.wanted)
        points = history.points(known, self.left_out)
        if points is None:
            return delivered
        about = {
            "source": self.source,
            "project": self.unit,
            "run_id": run.id,
            "run_name": run.name,
            "status": run.state,
            "Tags": run.tags,
            "listed": listed,
            "lightning": self.wanted.step(run) == LIGHTNING,
        }
        return [
            {**about, "metric": metric, "read_as": read_as[metric], **point._asdict()}
            for metric, found in points.items()
            for point in found
        ]


def _delivered(staging: Staging) -> dict[str, list[Row]]:
    """Returns the live rows of the day that is written, by the id of their run, in their order."""
    rows: dict[str, list[Row]] = defaultdict(list)
    live = staging.zone.current(staging.key)
    for path in live.paths if live and live.present else ():
        for row in pq.read_table(path).to_pylist():
            rows[row["run_id"]].append(row)
    return rows

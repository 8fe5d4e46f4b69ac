"""Writes what a W&B project's runs logged: delivered rows of unchanged runs, new rows of others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import pyarrow as pa
import pyarrow.compute as pc

from ingest.sources.progress.wandb.graphql import GraphQL
from ingest.sources.progress.wandb.history import History, Point
from ingest.sources.progress.wandb.listed_run import ListedRun
from ingest.sources.progress.wandb.metric_names import LIGHTNING, MetricNames
from ingest.trackers.run_tables import delivered_rows, encoded, run_table, write_tables
from ingest.trackers.tracked_runs import columns
from models.raw.staging import Staging

SCHEMA = encoded(
    columns(
        "project",
        ("history_step", pa.int64()),
        ("listed", pa.string()),
        ("lightning", pa.bool_()),
        ("read_as", pa.string()),
    )
)
"""`step` is the training step, `history_step` W&B's own; `listed` shows whether a run changed.

`read_as` says how its metric was read; what was read otherwise is read anew.
"""


@dataclass
class ProjectReader:
    """Reads the runs of one W&B project, a day at a time."""

    source: str
    server: GraphQL
    project: str
    names: MetricNames
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many values of each metric were left out, by reason; grows."""

    @property
    def unit(self) -> str:
        """The W&B project as `entity/project`."""
        return f"{self.server.entity}/{self.project}"

    @property
    def notices(self) -> Iterator[str]:
        """Yields a notice per metric and reason: how many of its values were left out."""
        for (metric, why), number in sorted((+self.left_out).items()):
            yield f"left out: {number} values of {metric} in {self.project} {why}"

    def fill(self, runs: list[ListedRun], staging: Staging) -> None:
        """Writes a day's W&B runs, or reuses the live delivery where none of them changed."""
        listed = {run.id: run.fingerprint(self.names) for run in runs}
        fingerprint = sha256(repr(listed).encode()).hexdigest()
        if known := staging.known(self.unit, fingerprint):
            staging.reuse(*known)
            return
        delivered = delivered_rows(staging, SCHEMA)
        tables = [self._table(run, _of(run.id, delivered), listed[run.id]) for run in runs]
        # of runs that were deleted there, or are listed without what is read of them
        tables.append(delivered.filter(~pc.field("run_id").isin(list(listed))))
        write_tables(tables, SCHEMA, staging.next_path)
        staging.add(staging.next_path, origin=self.unit, etag=fingerprint)

    def _table(self, run: ListedRun, delivered: pa.Table, listed: str) -> pa.Table:
        """Returns a run's rows: the delivered ones if its listing is unchanged, else requested."""
        if delivered["listed"].unique().to_pylist() == [listed]:
            return delivered
        read_as = self.names.read_as(run)
        known = _known(delivered, read_as)
        points = History(self.server, self.project, run, self.names).points(known, self.left_out)
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
            "lightning": self.names.step(run) == LIGHTNING,
        }
        tables = [
            run_table(SCHEMA, about | {"metric": metric, "read_as": read_as[metric]}, _columns(of))
            for metric, of in points.items()
        ]
        return pa.concat_tables(tables)


def _columns(points: Sequence[Point]) -> dict[str, list[object]]:
    """Converts points to lists of values by column."""
    return {name: [getattr(one, name) for one in points] for name in Point._fields}


def _known(delivered: pa.Table, read_as: Mapping[str, str]) -> dict[str, list[Point]]:
    """Maps each metric to its delivered points, if they were read the same way as now."""
    known: dict[str, list[Point]] = defaultdict(list)
    columns = [delivered[name].to_pylist() for name in ("metric", "read_as", *Point._fields)]
    for metric, was_read_as, *point in zip(*columns, strict=True):
        if was_read_as == read_as.get(metric):
            known[metric].append(Point(*point))
    return known


def _of(run: str, rows: pa.Table) -> pa.Table:
    """Returns the rows of one run from a table, in their order."""
    return rows.filter(pc.field("run_id") == run)

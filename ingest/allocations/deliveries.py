"""Makes one delivery per cluster and UTC day of the allocations that a source read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.allocations.allocation import DAY, Allocation, midnight
from ingest.source import ALL, Batch
from models.contract.errors import InputError
from models.contract.schema import ALLOCATIONS
from models.raw.staging import Staging

FORMAT = "observed_allocations"
TYPES = {"string": pa.string(), "timestamp": pa.timestamp("us"), "int64": pa.int64()}
SCHEMA = pa.schema(
    [(name, TYPES.get(dtype, pa.decimal128(38, 9))) for name, dtype in ALLOCATIONS.items()]
)


@dataclass(frozen=True)
class ClusterDay:
    """What one cluster's jobs held on one UTC day, as told at one moment.

    `origin` is the file or the service that it was read from.
    """

    cluster: str
    day: date
    observed_at: datetime
    origin: str
    allocations: Sequence[Allocation]
    version: str = ""
    """That of the file; without one a day is another when its rows are."""
    anew: bool = False
    """Whether the day was asked for by name, and is written whatever its version."""

    @property
    def is_over(self) -> bool:
        """Whether the day had ended when it was observed; an empty day that had not is unknown."""
        return self.observed_at >= midnight(self.day + DAY)

    @property
    def batch(self) -> Batch:
        """The day as a delivery to write; a day on which nothing was held is one of no rows."""
        return Batch(self.cluster, f"{self.day}", partial(_fill, self), empty=True)

    @property
    def rows(self) -> list[dict[str, object]]:
        """The day's rows of `allocations`, in an order that depends on nothing but them."""
        rows = (allocation.row() for allocation in self.allocations)
        return sorted(rows, key=lambda row: json.dumps(row, default=str, sort_keys=True))

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of the day's rows; of a day that is over, whatever the time of asking."""
        stable = [{**row, "observed_at": None} for row in self.rows]
        open_until = None if self.is_over else f"{self.observed_at}"
        return sha256(json.dumps([stable, open_until], default=str).encode()).hexdigest()


def batches(days: Iterable[ClusterDay]) -> Iterator[Batch]:
    """Yields the deliveries of the days that have allocations or are over."""
    return (each.batch for each in days if each.allocations or each.is_over)


def _fill(cluster_day: ClusterDay, staging: Staging) -> None:
    """Writes the rows of a cluster's day, or links the live file where it has the same."""
    fingerprint = cluster_day.version or cluster_day.fingerprint
    known = None if cluster_day.anew else staging.known(cluster_day.origin, fingerprint)
    if known:
        staging.reuse(*known)
        return
    # its version is in the bytes: else the same rows of a newer file would be read at every pull
    schema = SCHEMA.with_metadata({"version": fingerprint})
    table = pa.Table.from_pylist(cluster_day.rows, schema=schema)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=cluster_day.origin, etag=fingerprint)


def refusal(unit: str, error: InputError) -> Batch:
    """Makes a delivery that fails: the file is refused, and the others are read all the same."""

    def fail(_: Staging) -> None:
        raise error

    return Batch(unit, ALL, fail, refused=error)

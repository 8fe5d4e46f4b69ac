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

from ingest.allocations.allocation import DAY, Allocation
from ingest.allocations.machine_types import exists
from ingest.billing_months import midnight
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
    """The allocations of one cluster on one UTC day, as observed at one moment.

    `origin` is the file or the service that it was read from.
    """

    cluster: str
    day: date
    observed_at: datetime
    origin: str
    allocations: Sequence[Allocation]
    version: str = ""
    """That of the file; without one a day is another when its rows are."""
    account: str = ""
    region: str = ""
    """Both stand in the key of one whose name may be another's in another account or region."""
    anew: bool = False
    """Whether the day was asked for by name, and is written whatever its version."""
    silences: Sequence[str] = ()
    """Notices of the hours of the day of which nothing was seen."""

    @property
    def is_over(self) -> bool:
        """Whether a cluster's UTC day was over when its allocations were observed.

        An empty day that had not ended is unknown, not idle.
        """
        return self.observed_at >= midnight(self.day + DAY)

    @property
    def unit(self) -> str:
        """The cluster as in the key of its deliveries: `account-region/cluster`, or its name."""
        return f"{self.account}-{self.region}/{self.cluster}" if self.region else self.cluster

    @property
    def batch(self) -> Batch:
        """A cluster's day as a delivery to write; one without allocations has no rows."""
        return Batch(self.unit, f"{self.day}", partial(_fill, self), empty=True)

    def unknown_nodes(self, holders: str, remedy: str) -> Iterator[str]:
        """Yields at most one notice: how many nodes of the day have no known instance and type."""
        unknown = (one for one in self.allocations if not (one.resource or one.instance_type))
        nodes = sorted({one.node for one in unknown if one.node})
        if nodes:
            yield (
                f"{self.cluster}: of nodes of {holders} on {self.day}, {len(nodes)} of unknown "
                f"instance and type, {nodes[0]} for one: {remedy}"
            )

    def newer_types(self) -> Iterator[str]:
        """Yields a notice per instance type of the day that the catalogue does not have."""
        kinds = {one.instance_type: one for one in self.allocations if one.instance_type}
        for kind, one in sorted(kinds.items()):
            if not exists(kind):
                yield (
                    f"{self.cluster}: this version does not know the instance type {kind} of "
                    f"{one.node or _name(one)} on {self.day}: how many accelerators it has is "
                    "unknown, so jobs that share it count by their CPUs, else in equal parts; "
                    "update breakeven"
                )

    @property
    def rows(self) -> list[dict[str, object]]:
        """A cluster's day as sorted rows of `allocations`: equal content gives equal order."""
        rows = (allocation.row() for allocation in self.allocations)
        return sorted(rows, key=lambda row: json.dumps(row, default=str, sort_keys=True))

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of a day's rows; before the day is over, also of when they were observed."""
        stable = [{**row, "observed_at": None} for row in self.rows]
        open_until = None if self.is_over else f"{self.observed_at}"
        return sha256(json.dumps([stable, open_until], default=str).encode()).hexdigest()


def _name(one: Allocation) -> str:
    """Returns the text `job` and the last part of the job's ARN, to name a job without a node."""
    return f"job {(one.job or '').rpartition('/')[2]}"


def batches(days: Iterable[ClusterDay]) -> Iterator[Batch]:
    """Yields one delivery per cluster and UTC day that has allocations or is over."""
    return (each.batch for each in days if each.allocations or each.is_over)


def _fill(cluster_day: ClusterDay, staging: Staging) -> None:
    """Writes a cluster's day as a Parquet file, or reuses the live delivery's file if equal."""
    fingerprint = cluster_day.version or cluster_day.fingerprint
    known = None if cluster_day.anew else staging.known(cluster_day.origin, fingerprint)
    if known:
        staging.reuse(*known)
        return
    table = pa.Table.from_pylist(cluster_day.rows, schema=SCHEMA)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=cluster_day.origin, etag=fingerprint)


def refusal(unit: str, error: InputError) -> Batch:
    """Returns a delivery that raises `error` when written; the others are written all the same."""

    def fail(_: Staging) -> None:
        raise error

    return Batch(unit, ALL, fail, refused=error)

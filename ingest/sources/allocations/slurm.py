"""Slurm: files that cron writes on the head node, one of jobs per cluster and UTC day.

A file's name begins with what is in it: `sacct` (and the day), `instances`, `nodes`, `events`. Key:
the cluster and the UTC day. Cursor: none; the listing of files shows which changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ingest.allocations.deliveries import FORMAT
from ingest.allocations.node_types import NodeTypes
from ingest.allocations.slurm.options import NodeOptions
from ingest.allocations.slurm.reading import SlurmReading
from ingest.files.feed import FileFeed
from ingest.source import Batch, FetchContext, Group, Options


class SlurmOptions(NodeOptions):
    """Options of a Slurm source: its files, and the bill's name of its cluster.

    `cluster` is what the bill's tag calls the cluster, where that is not Slurm's `ClusterName`.
    """

    cluster: str = ""


@dataclass(frozen=True)
class Slurm(FileFeed):
    """The Slurm feed: jobs in files of one head node or of several, as allocations."""

    kind: ClassVar[str] = "slurm"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = SlurmOptions

    options: SlurmOptions

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery of job allocations per Slurm cluster and UTC day, if new or changed.

        Raises `InputError` where no file of jobs is.
        """
        given = self.options
        types = NodeTypes(given.instance_types)
        reading = SlurmReading(self, self.settings, types, given.gres, given.cluster)
        return reading.batches(self.store(context), context)

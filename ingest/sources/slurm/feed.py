"""Slurm: files that cron writes on the head node, one of jobs per cluster and UTC day.

A file's name begins with what is in it: `sacct` (and the day), `instances`, `nodes`, `events`. Key:
the cluster and the UTC day. A day is read again when its file changed, or a machine or an event of
it. A day with fewer jobs than were delivered is one that slurmdbd has purged: the delivered one
stays, and a notice says so. Days before the first job that slurmdbd knows are unknown, not idle.
Cursor: none; the listing of files shows which changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from pydantic import Field, field_validator

from ingest.allocations.deliveries import FORMAT, ClusterDay, batches, refusal
from ingest.allocations.live_days import LiveDays
from ingest.allocations.machine_types import exists
from ingest.files.folder import describe_location
from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import BilledTo
from ingest.files.store import file_key
from ingest.source import Batch, FetchContext, Group, Options
from ingest.sources.slurm.days_of_file import days_of_file
from ingest.sources.slurm.head_node_files import HeadNodeFiles
from ingest.sources.slurm.held_nodes import HeldNodes
from models.config.settings import Settings
from models.contract.errors import InputError

READER = 1
"""Raised where the same file is read as other rows than before."""
SCRIPT = "deploy/slurm/breakeven_slurm.py"
PURGED = "slurmdbd may have purged them (PurgeJobAfter)"


class SlurmOptions(FileOptions):
    """Options of a Slurm source: where its files lie, and what they do not tell.

    `instance_types` are instance types by pattern of node names, for nodes whose instance is not
    known. `gres` names generic resources that are accelerators, besides gpu and neuron.
    """

    instance_types: dict[str, str] = Field(default_factory=dict)
    gres: tuple[str, ...] = ()

    @field_validator("instance_types")
    @classmethod
    def _known(cls, types: dict[str, str]) -> dict[str, str]:
        for name in types.values():
            if not exists(name):
                raise ValueError(f"{name!r} is no instance type: write it as EC2 does")
        return types


@dataclass(frozen=True)
class Slurm:
    """The Slurm feed: files of one head node or of several, at one location."""

    kind: ClassVar[str] = "slurm"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = SlurmOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: SlurmOptions
    settings: Settings

    @property
    def location(self) -> str:
        """Where the head node's files lie: an S3 prefix or a local path."""
        return open_store(self.options, self.settings).location

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per cluster and day; `InputError` where no file of jobs is."""
        store = open_store(self.options, self.settings, BilledTo(context.ledger, self.name))
        files = HeadNodeFiles.of(store)
        if not files.jobs:
            raise InputError(
                f"{self.name}: no file of jobs, whose name begins with sacct",
                value=describe_location(store),
                remedy=f"run {SCRIPT} on the head node, or correct `location`",
            )
        live, days = LiveDays(context, self), []
        for entry in files.jobs:
            version = files.version(entry, self._read_as)
            if live.has(entry.uri, version):
                context.unchanged.append(entry.path)
                continue
            held = HeldNodes(files.machines, self.options.instance_types)
            try:
                days += days_of_file(files, entry, held, version, self._reading)
            except InputError as error:
                yield refusal(file_key(entry, self.settings), error)
        yield from self._offered(days, live, files, context.notices)

    def _offered(
        self, days: list[ClusterDay], live: LiveDays, files: HeadNodeFiles, notices: list[str]
    ) -> Iterator[Batch]:
        """Yields the deliveries of what was read; notices name what slurmdbd does not know."""
        origins: dict[tuple[str, date], str] = {}
        listed = {entry.uri for entry in files.jobs}
        known = list(_since_first_job(days, live, notices))
        for each in live.without_emptier(known, notices, PURGED):
            before = origins.setdefault((each.cluster, each.day), each.origin)
            delivered = live.origin(each.cluster, each.day)
            other = delivered if delivered in listed - {each.origin} else before
            if other != each.origin:
                yield refusal(each.origin, _told_twice(each, other))
                continue
            notices.extend(_unknown_nodes(each))
            yield from batches([each])

    @property
    def _reading(self) -> tuple[bool, tuple[str, ...]]:
        return self.settings.allocations.keep_user, self.options.gres

    @property
    def _read_as(self) -> list[object]:
        """What else decides how a file is read."""
        return [READER, *self._reading, sorted(self.options.instance_types.items())]


def _since_first_job(
    days: Iterable[ClusterDay], live: LiveDays, notices: list[str]
) -> Iterator[ClusterDay]:
    """Yields the days from the first job of each cluster on; a notice names those before."""
    days = sorted(days, key=lambda each: (each.cluster, each.day))
    first: dict[str, date] = {}
    for each in days:
        if any(one.job for one in each.allocations):
            first.setdefault(each.cluster, each.day)
    unknown: dict[str, list[date]] = {}
    for each in days:
        begins = [day for day in (first.get(each.cluster), live.first_day(each.cluster)) if day]
        if begins and each.day >= min(begins):
            yield each
        else:
            unknown.setdefault(each.cluster, []).append(each.day)
    for cluster, before in unknown.items():
        notices.append(
            f"{cluster}: slurmdbd knows no job of {before[0]} to {before[-1]}, nor any before: "
            "these days are unknown, not idle; it may have purged them (PurgeJobAfter)"
        )


def _unknown_nodes(each: ClusterDay) -> Iterator[str]:
    """Yields a notice of nodes that jobs held and of which no machine is known."""
    nodes = sorted({one.node for one in each.allocations if one.node and not one.instance_type})
    if nodes:
        yield (
            f"{each.cluster}: {len(nodes)} nodes of {each.day}, {nodes[0]} for one, have no "
            "instance and no instance type: keep nodes.csv on the head node, or set "
            "`instance_types`"
        )


def _told_twice(each: ClusterDay, other: str) -> InputError:
    return InputError(
        f"{each.origin} and {other} both tell of {each.cluster}",
        value=f"{each.day}",
        remedy=f"write one file per cluster and UTC day, as {SCRIPT} does",
    )

"""Reads the changed days of Slurm jobs; notices name the days and nodes that are unknown.

A day is read again when its file changed, or a machine or an event of it. A day with fewer jobs
than were delivered is one that slurmdbd has purged: the delivered one stays, and a notice says so.
Days before the first job that slurmdbd knows are unknown, not idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date

from ingest.allocations.allocation import Allocation
from ingest.allocations.deliveries import ClusterDay, batches, refusal
from ingest.allocations.live_days import LiveDays
from ingest.allocations.node_types import NodeTypes
from ingest.allocations.slurm.days_of_file import Configured, days_of_file
from ingest.allocations.slurm.head_node_files import HeadNodeFiles, day_of
from ingest.allocations.slurm.held_nodes import HeldNodes
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store, file_key
from ingest.source import Batch, FetchContext, Source
from models.config.settings import Settings
from models.contract.errors import InputError
from models.contract.page_text import count
from models.contract.shipped_data import shipped_name

READER = 5
"""Raised where the same file is read as other rows than before."""
SCRIPT = shipped_name("deploy/slurm/breakeven_slurm.py")
UNKNOWN = "keep nodes.csv on the head node, or set `instance_types`"
PURGED = "slurmdbd may have purged them (PurgeJobAfter)"


@dataclass(frozen=True)
class SlurmReading:
    """Makes deliveries of allocations from the files that a source's Slurm head nodes wrote.

    `types` are those of nodes whose machine is not known: what was read is read again where the
    config has others. `gres` are further names of accelerators; `placed` puts an allocation where
    the bill has its machine. `cluster` is what the bill calls the cluster, where that is not
    Slurm's own name.
    """

    source: Source
    settings: Settings
    types: NodeTypes = field(default_factory=NodeTypes)
    gres: tuple[str, ...] = ()
    cluster: str = ""
    placed: Callable[[Allocation], Allocation] = lambda allocation: allocation

    def batches(self, store: Store, context: FetchContext) -> Iterator[Batch]:
        """Yields a delivery per cluster and day of Slurm jobs that is new or changed.

        A day that lacks a job delivered before, or is before the first known job, is left out with
        a notice. A refused file is a delivery that fails. `InputError` where no file of jobs is.
        """
        files = HeadNodeFiles.of(store)
        if not files.jobs:
            raise InputError(
                f"{self.source.name}: no file of jobs, whose name begins with sacct",
                value=describe_location(store),
                remedy=f"run {SCRIPT} on the head node, or correct `location`",
            )
        live = LiveDays(context, self.source)
        days: list[ClusterDay] = []
        held = HeldNodes(files.machines, self.types)
        configured = Configured(self.settings.allocations.keep_user, self.gres, self.cluster)
        for entry in files.jobs:
            read_as = [READER, *configured, sorted(self.types.configured.items())]
            version = files.version(entry, read_as)
            if live.has(entry.uri, version):
                context.unchanged.append(entry.path)
                continue
            try:
                read = days_of_file(files, entry, held, version, configured)
                days += map(self._renamed, read.days)
                if read.elsewhere:
                    context.notices.append(_other_days(entry.uri, read.elsewhere))
                if not read.days:
                    context.notices.append(_no_rows(entry))
            except InputError as error:
                yield refusal(file_key(entry, self.settings), error)
        yield from self._offered(days, live, files, context.notices)

    def _renamed(self, day: ClusterDay) -> ClusterDay:
        """Returns a day with the cluster named as on the bill, its allocations adapted to it."""
        cluster = self.cluster or day.cluster
        rows = [self.placed(replace(one, cluster=cluster)) for one in day.allocations]
        return replace(day, cluster=cluster, allocations=rows)

    def _offered(
        self, days: list[ClusterDay], live: LiveDays, files: HeadNodeFiles, notices: list[str]
    ) -> Iterator[Batch]:
        """Yields a delivery per day read; `notices` gets days and nodes that are not known."""
        origins: dict[tuple[str, date], str] = {}
        listed = {entry.uri for entry in files.jobs}
        known = list(_since_first_job(days, live, notices))
        for each in live.without_emptier(known, notices, PURGED):
            before = origins.setdefault((each.cluster, each.day), each.origin)
            delivered = live.origin(each.cluster, each.day)
            other = delivered if delivered in listed - {each.origin} else before
            if other != each.origin:
                yield refusal(each.origin, _two_files(each, other))
                continue
            notices.extend(each.unknown_nodes("jobs", UNKNOWN))
            notices.extend(each.newer_types())
            yield from batches([each])


def _since_first_job(
    days: Iterable[ClusterDay], live: LiveDays, notices: list[str]
) -> Iterator[ClusterDay]:
    """Yields each cluster's days from its first job on; a notice names the days before it."""
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


def _no_rows(entry: FileEntry) -> str:
    nothing = f"{entry.uri} holds no rows of jobs that held a machine"
    if not day_of(entry):
        return nothing
    return (
        f"{nothing}, and names no cluster, so nothing is known of that day: begin it with a line "
        f"# cluster=NAME as {SCRIPT} does, or set `cluster`"
    )


def _other_days(uri: str, jobs: list[str]) -> str:
    return (
        f"{uri} has {count(len(jobs), 'job')}, {jobs[0]} for one, that held nothing on the UTC day "
        f"in its name: the file tells of that day alone (write each day's jobs as {SCRIPT} does)"
    )


def _two_files(each: ClusterDay, other: str) -> InputError:
    return InputError(
        f"{each.origin} and {other} both tell of {each.cluster}",
        value=f"{each.day}",
        remedy=f"write one file per cluster and UTC day, as {SCRIPT} does",
    )

"""Reads one file of Slurm jobs by cluster and day, and adds the nodes' events of these days."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import NamedTuple

from ingest.allocations.allocation import DAY, Allocation, by_cluster_and_day
from ingest.allocations.deliveries import ClusterDay
from ingest.allocations.refusals import Line
from ingest.allocations.slurm.head_node import AS_EPOCH
from ingest.allocations.slurm.head_node_files import HeadNodeFiles, day_of, read
from ingest.allocations.slurm.held_nodes import HeldNodes
from ingest.allocations.slurm.jobs import Attempt, attempts
from ingest.allocations.slurm.printed import Printed
from ingest.billing_months import midnight
from ingest.files.store import FileEntry


class Configured(NamedTuple):
    """What the config says of a source's Slurm jobs, and its files do not.

    `gres` are further names of accelerators; `cluster` is what the bill calls the cluster, or "".
    """

    keep_user: bool
    gres: tuple[str, ...]
    cluster: str


class DaysOfFile(NamedTuple):
    """What one file of Slurm jobs contains: a list of (cluster, day) with allocations.

    `elsewhere` are ids of jobs that held their nodes on other days than the one in its name.
    """

    days: list[ClusterDay]
    elsewhere: list[str]


def days_of_file(
    files: HeadNodeFiles,
    entry: FileEntry,
    held: HeldNodes,
    version: str,
    configured: Configured,
) -> DaysOfFile:
    """Reads a file of Slurm jobs as one `ClusterDay` per cluster and day. Raises `InputError`.

    A file with a day in its name tells of that day alone: jobs of others are left out. It tells of
    an idle day, too, if its comment or the config names the cluster. Events of nodes on the day are
    added. The error names the line.
    """
    printed = read(files.store, entry)
    observed_at = _observed_at(printed, entry)
    day = day_of(entry)
    jobs = [
        replace(allocation, queued_at=_submission(attempt, day))
        for attempt in attempts(
            printed, observed_at, keep_user=configured.keep_user, gres=configured.gres
        )
        for allocation in held.of_attempt(attempt, observed_at)
    ]
    days = by_cluster_and_day(jobs)
    if day:
        clusters = {cluster for cluster, _ in days} | {printed.about.get("cluster", "")} - {""}
        clusters = clusters or {configured.cluster} - {""}
        days = {(cluster, day): days.get((cluster, day), []) for cluster in clusters}
    cluster_days = [
        ClusterDay(
            cluster,
            of,
            observed_at,
            entry.uri,
            [*allocations, *_events(files, held, cluster, of, observed_at)],
            version,
        )
        for (cluster, of), allocations in days.items()
    ]
    return DaysOfFile(cluster_days, _elsewhere(jobs, day) if day else [])


def _submission(attempt: Attempt, day: date | None) -> datetime | None:
    """Returns when a job was submitted; null in a day's file where it ran since midnight.

    `sacct -T` prints that for its start. How long it waited is known by the file of its first day.
    """
    cut = day is not None and attempt.start == midnight(day)
    return None if cut else attempt.queued_at


def _elsewhere(jobs: list[Allocation], day: date) -> list[str]:
    """Returns the ids of jobs whose times lie wholly before or after a file's day.

    `sacct` prints a job that ended, or began, at the very midnight with either day.
    """
    start, end = midnight(day), midnight(day + DAY)
    near = {one.job for one in jobs if one.until >= start and one.held_from <= end}
    return sorted({f"{one.job}" for one in jobs if one.job not in near})


def _events(
    files: HeadNodeFiles, held: HeldNodes, cluster: str, day: date, observed_at: datetime
) -> list[Allocation]:
    """Returns, as allocations, when nodes of a cluster were unusable to jobs on a day."""
    start, end = midnight(day), midnight(day + DAY)
    return [
        interval
        for interval in held.of_events(files.events_within(start, end, cluster), observed_at)
        if interval.held_from < end and interval.until > start
    ]


def _observed_at(printed: Printed, entry: FileEntry) -> datetime:
    """Returns when `sacct` was asked: by the file's comment, else by when it was written.

    A clock may be wrong: nothing is observed later than now.
    """
    written = printed.about.get("observed_at", "")
    if not written.isdigit():
        return min(entry.modified, datetime.now(UTC))
    return Line(printed.origin, 1).moment("observed_at", written, AS_EPOCH)

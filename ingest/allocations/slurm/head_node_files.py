"""Lists the files that the head node of Slurm wrote, and reads all but those of jobs."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from pathlib import PurePath

from ingest.allocations.allocation import DAY
from ingest.allocations.moments import UnreadableMomentError, moment
from ingest.allocations.node_machines import FOREVER, NodeMachines, Stay
from ingest.allocations.slurm.head_node import Event, events, stays
from ingest.allocations.slurm.printed import Printed, read_printed
from ingest.billing_months import midnight
from ingest.files.store import FileEntry, Store, with_utf8_names

JOBS, INSTANCES, NODES, EVENTS = "sacct", "instances", "nodes", "events"
"""Beginnings of files' names: what is in them."""
DAY_IN_NAME = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class HeadNodeFiles:
    """A location's Slurm files: machines and events already read, files of jobs only listed."""

    store: Store
    jobs: list[FileEntry]
    machines: NodeMachines
    events: list[Event]

    @classmethod
    def of(cls, store: Store) -> HeadNodeFiles:
        """Lists the Slurm files and reads all but those of jobs. Raises `InputError`."""
        entries = store.entries()
        printed = {
            kind: [read(store, entry) for entry in _named(entries, kind)]
            for kind in (INSTANCES, NODES, EVENTS)
        }
        machines = (
            stay for kind in (INSTANCES, NODES) for one in printed[kind] for stay in stays(one)
        )
        happened = [event for one in printed[EVENTS] for event in events(one)]
        return cls(store, _named(entries, JOBS), NodeMachines(_once(machines)), happened)

    def version(self, entry: FileEntry, read_as: object) -> str:
        """Returns a hash that changes when a file of Slurm jobs or its day's machines or events do.

        It does when its bytes change, when machines or events of its day do, or `read_as`.
        """
        day = day_of(entry)
        start, end = (midnight(day), midnight(day + DAY)) if day else (FIRST, FOREVER)
        about = [
            self.store.fingerprint(entry),
            self.machines.within(start, end),
            [
                replace(event, since=max(event.since, start), until=min(event.end, end))
                for event in self.events_within(start, end)
            ],
            read_as,
        ]
        return sha256(json.dumps(about, default=str).encode()).hexdigest()

    def events_within(self, start: datetime, end: datetime, cluster: str = "") -> list[Event]:
        """Returns a cluster's, or all, events of Slurm nodes (down, drained) in an interval."""
        return [
            event
            for event in self.events
            if cluster in ("", event.cluster) and event.since < end and event.end > start
        ]


FIRST = midnight(date(1970, 1, 1))


def day_of(entry: FileEntry) -> date | None:
    """Returns the UTC day that is written in a file's name; null where there is no valid one."""
    named = DAY_IN_NAME.search(PurePath(entry.path).name)
    try:
        return moment(f"{named[0]}T00:00:00Z").date() if named else None
    except UnreadableMomentError:
        return None


def read(store: Store, entry: FileEntry) -> Printed:
    """Reads one file from a Slurm head node as a table. Raises `InputError`."""
    is_of_events = PurePath(entry.path).name.startswith(EVENTS)
    return read_printed(entry.uri, store.read(entry), ends_in_text=is_of_events)


def _named(entries: Iterable[FileEntry], beginning: str) -> list[FileEntry]:
    named = (entry for entry in entries if PurePath(entry.path).name.startswith(beginning))
    return with_utf8_names(named)


def _once(machines: Iterable[Stay]) -> list[Stay]:
    """Adds CPUs to machines of Slurm nodes where known, and drops repeated ones."""
    return list(dict.fromkeys(_with_cpus(list(machines))))


def _with_cpus(machines: list[Stay]) -> Iterator[Stay]:
    """Yields machines with their CPUs, taken from the same machine or type where missing.

    `sacctmgr show instance` tells none, and the type's are twice as many without hyperthreading.
    Where machines of a type have different numbers, that of another one is unknown.
    """
    known = defaultdict[tuple[str, ...], set[int]](set)
    for one in machines:
        if one.cpus:
            known[one.cluster, one.resource].add(one.cpus)
            if one.instance_type:
                known[one.cluster, "", one.instance_type].add(one.cpus)
    for one in machines:
        same = known.get((one.cluster, one.resource))
        like = same or known.get((one.cluster, "", one.instance_type or ""), set())
        yield one if one.cpus or len(like) != 1 else replace(one, cpus=min(like))

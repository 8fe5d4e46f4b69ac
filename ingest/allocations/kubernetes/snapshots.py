"""Reads pods and nodes from files that `kubectl get pods,nodes -A -o json` wrote over time.

A file is what the cluster looked like when it was written: the UTC time in its name, as in
`pods-2026-09-01T1200Z.json`, else the time that the folder or S3 gives it, which a copy loses. A
pod that a later file no longer has ended when it was last seen, unless it says itself when its
containers ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import pairwise
from typing import Any

from ingest.allocations.allocation import DAY
from ingest.allocations.kubernetes.pods import Pod, instance
from ingest.allocations.kubernetes.reserved import reserved
from ingest.allocations.kubernetes.resources import cores_of, spelt
from ingest.allocations.machine_types import if_it_may_be
from ingest.allocations.moments import UnreadableMomentError, is_possible, moment
from ingest.allocations.node_machines import Stay, stays_since
from ingest.billing_months import midnight
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store, select_readable
from models.contract.errors import InputError
from models.intake.malformed_files import shown

SUFFIX = ".json"
SEEN_FOR = timedelta(hours=2)
"""From one file to the next. A pod may come and go between files that are farther apart."""
LISTED_FOR = timedelta(hours=1)
"""A pod may begin so long after the time in the name of a file that has it: the full hour, say."""
TIME_IN_NAME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d):?(\d\d)(?::?(\d\d))?Z")
ENDED = ("Succeeded", "Failed")
TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
WRITE = "write it with kubectl get pods,nodes -A -o json"
NAMED = "pods-2026-09-01T1200Z.json"
NAME_IT = f"write the time of asking into its name ({NAMED})"
Item = dict[str, Any]


@dataclass(frozen=True)
class Snapshots:
    """The parsed `kubectl` files of one cluster, oldest first, each with when it was written.

    `refused` are files that cannot be read, each with its error: they tell nothing.
    """

    cluster: str
    version: str
    files: list[tuple[FileEntry, list[Item]]]
    refused: list[tuple[FileEntry, InputError]] = field(default_factory=list)

    @classmethod
    def of(cls, store: Store, name: str, cluster: str) -> Snapshots:
        """Parses a location's `.json` files of `kubectl`; `InputError` if none can be read."""
        entries = select_readable(store.entries(), [SUFFIX])
        if not entries:
            raise InputError(
                f"{name}: no file of pods", value=describe_location(store), remedy=WRITE
            )
        marks = [f"{entry.uri} {store.fingerprint(entry)}" for entry in entries]
        ordered = sorted(map(_written, entries), key=lambda entry: (entry.modified, entry.path))
        for entry in (ordered[0], ordered[-1]):
            if not is_possible(entry.modified) or entry.modified > datetime.now(UTC) + DAY:
                value = f"{entry.modified:%Y-%m-%d}"
                raise InputError(f"{entry.uri} cannot be of that day", value=value, remedy=NAME_IT)
        files: list[tuple[FileEntry, list[Item]]] = []
        refused: list[tuple[FileEntry, InputError]] = []
        for entry in ordered:
            try:
                files.append((entry, _items(entry, store.read(entry))))
            except InputError as error:
                refused.append((entry, error))
        if not files:
            raise refused[0][1]
        return cls(cluster, sha256("\n".join(marks).encode()).hexdigest(), files, refused)

    @property
    def last(self) -> datetime:
        """When the newest `kubectl` file was written; a time in a file's name counts first."""
        return self.files[-1][0].modified

    @property
    def days(self) -> Iterator[date]:
        """The UTC days from that of the oldest `kubectl` file to that of the newest."""
        day = self.files[0][0].modified.date()
        while midnight(day) < self.last:
            yield day
            day += DAY

    def unseen(self, day: date) -> list[tuple[datetime, datetime]]:
        """Lists, as (start, end), a day's gaps between `kubectl` files that are hours apart.

        The first day begins before the oldest file; pods that had gone by then are in none.
        """
        start, end = midnight(day), min(midnight(day + DAY), self.last)
        times = [entry.modified for entry, _ in self.files]
        times.insert(0, midnight(times[0].date()))
        apart = (pair for pair in pairwise(times) if pair[1] - pair[0] > SEEN_FOR)
        within = ((max(since, start), min(until, end)) for since, until in apart)
        return [(since, until) for since, until in within if since < until]

    def stays(self) -> Iterator[Stay]:
        """Yields, per EC2 instance behind a node, from its creation to the last file with it.

        `since` is ten minutes before the creation, but not while another node had the name;
        `until` is null where the newest file has it.
        """
        seen: dict[tuple[str, str], tuple[Item, FileEntry]] = {}
        cores: dict[tuple[str, str], Decimal] = {}
        for entry, items in self.files:
            for node in (item for item in items if item["kind"] == "Node"):
                resource = instance((node.get("spec") or {}).get("providerID") or "")
                if resource:
                    key = node["metadata"]["name"], resource
                    cores_now, seen[key] = cores_of(node.get("status") or {}), (node, entry)
                    cores[key] = max(cores_now or Decimal(0), cores.get(key, Decimal(0)))
        left: dict[str, datetime] = {}
        for (name, resource), (node, entry) in sorted(seen.items(), key=_by_creation):
            about = node["metadata"]
            labels = about.get("labels", {})
            kind = if_it_may_be(next((labels[t] for t in TYPES if t in labels), None))
            since = stays_since(_moment(entry, about["creationTimestamp"]), left.get(name))
            left[name] = entry.modified
            until = None if entry.modified == self.last else entry.modified
            count = cores[name, resource] or None
            yield Stay(self.cluster, name, since, until, resource, kind, neuron_cores=count)

    def pods(self) -> Iterator[Pod]:
        """Yields the pods with accelerators that started, each as the last file shows it.

        One that has ended is as the first file shows it that has its end: it may lie there for
        days, and one that was evicted does not say when its containers ended.
        """
        seen: dict[str, tuple[Item, FileEntry]] = {}
        for entry, items in self.files:
            for pod in (item for item in items if item["kind"] == "Pod"):
                uid = pod["metadata"]["uid"]
                if uid not in seen or seen[uid][0]["status"].get("phase") not in ENDED:
                    seen[uid] = pod, entry
        for pod, entry in seen.values():
            requests = reserved(entry.uri, pod)
            if requests and pod["spec"].get("nodeName") and pod["status"].get("startTime"):
                yield self._pod(entry, pod, requests)

    def _pod(self, entry: FileEntry, pod: Item, requests: dict[str, Decimal]) -> Pod:
        about, status = pod["metadata"], pod["status"]
        holds_on = entry.modified == self.last and status.get("phase") not in ENDED
        start = _moment(entry, status["startTime"])
        end = _end(entry, status) or (None if holds_on else max(start, entry.modified))
        labels = {spelt(key): f"{value}" for key, value in about.get("labels", {}).items()}
        return Pod(
            about["uid"],
            pod["spec"]["nodeName"],
            start,
            end,
            requests,
            (status.get("phase") or "").upper(),
            _moment(entry, about["creationTimestamp"]),
            {**labels, "namespace": about["namespace"], "pod": about["name"]},
            entry.uri,
        )


def _by_creation(seen: tuple[tuple[str, str], tuple[Item, FileEntry]]) -> datetime:
    node, entry = seen[1]
    return _moment(entry, node["metadata"]["creationTimestamp"])


def _written(entry: FileEntry) -> FileEntry:
    """Returns a file entry, its time replaced by the one in the file's name, if that has one."""
    named = TIME_IN_NAME.search(entry.path.rpartition("/")[2])
    if named is None:
        return entry
    day, hour, minute, second = named.groups(default="00")
    try:
        return replace(entry, modified=moment(f"{day}T{hour}:{minute}:{second}Z"))
    except UnreadableMomentError:
        return entry


def _items(entry: FileEntry, content: bytes) -> list[Item]:
    """Returns the pods and nodes listed in one `kubectl` file. Raises `InputError` if damaged."""
    try:
        items: list[Item] = json.loads(content)["items"]
        for item in items:
            _look_at(item)
            _refuse_impossible(entry, item)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = "it is not what kubectl writes"
        if isinstance(error, json.JSONDecodeError):
            what = f"it is not JSON: {error}"
        elif isinstance(error, KeyError):
            what = f"no {error}"
        raise InputError(f"cannot read {entry.uri}", value=shown(what), remedy=WRITE) from None
    return items


def _look_at(item: Item) -> None:
    """Reads each field of a pod or node that is used later; raises where its type is wrong."""
    about = item["metadata"]
    _ = item["kind"], about["name"], about["uid"], about["creationTimestamp"]
    dict(about.get("labels", {}))
    item.get("spec", {}).get("providerID", "")
    cores_of(item.get("status") or {})
    if item["kind"] == "Pod":
        _ = about["namespace"], item["spec"].get("nodeName"), item["status"].get("startTime")
        for container in [*item["spec"]["containers"], *item["spec"].get("initContainers", [])]:
            dict(container.get("resources", {}).get("limits", {}))
            dict(container.get("resources", {}).get("requests", {}))
        for one in item["status"].get("containerStatuses", []):
            one.get("state", {}).get("terminated", {}).get("finishedAt")


def _refuse_impossible(entry: FileEntry, item: Item) -> None:
    """Raises `InputError` for impossible counts or times of a pod or node in a `kubectl` file."""
    if item["kind"] == "Node":
        _moment(entry, item["metadata"]["creationTimestamp"])
    elif item["kind"] == "Pod" and reserved(entry.uri, item) and item["status"].get("startTime"):
        about, status = item["metadata"], item["status"]
        _moment(entry, about["creationTimestamp"])
        start, end = _moment(entry, status["startTime"]), _end(entry, status)
        if (end or entry.modified + LISTED_FOR) < start:
            end = end or entry.modified
            value = f"{about['name']}, {start:%Y-%m-%dT%H:%M:%SZ} to {end:%Y-%m-%dT%H:%M:%SZ}"
            raise InputError(f"{entry.uri}: a pod ends before it starts", value=value, remedy=WRITE)


def _end(entry: FileEntry, status: Item) -> datetime | None:
    """Returns when the last container of a pod that is over ended; null without a possible time."""
    states = (one.get("state", {}) for one in status.get("containerStatuses", []))
    texts = [state["terminated"].get("finishedAt") for state in states if "terminated" in state]
    ends = (_moment(entry, text, anywhen=True) for text in texts if text)
    last = max(filter(is_possible, ends), default=None)
    return last if status.get("phase") in ENDED else None


def _moment(entry: FileEntry, text: str, *, anywhen: bool = False) -> datetime:
    try:
        return moment(f"{text}", anywhen=anywhen)
    except UnreadableMomentError as error:
        raise InputError(f"{entry.uri}: a time {error}", value=shown(text), remedy=WRITE) from None

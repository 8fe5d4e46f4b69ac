"""Finds what a source has delivered of each cluster's days, so that none is read twice or lost."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow.parquet as pq

from ingest.allocations.allocation import Allocation
from ingest.allocations.deliveries import FORMAT, ClusterDay
from ingest.allocations.node_types import TypesByDay
from ingest.aws import accounts
from ingest.source import Batch, FetchContext, Source
from models.contract.page_text import count
from models.engine.allocations.counted_deliveries import end_of_day, is_of_whole_day
from models.raw.delivery import Delivery
from models.raw.seen_versions import last_seen

OWNERS = ("job", "node", "reason", "attempt")
"""Tell one attempt of a job on one node apart from all others."""


class LiveDays:
    """Looks up a source's live deliveries of allocations by cluster and UTC day."""

    def __init__(self, context: FetchContext, source: Source, form: str = FORMAT) -> None:
        self._options = source.options
        mine = [d for d in context.zone.live(form) if d.key.source == source.name]
        since = context.failing_since
        whole = [d for d in mine if d.present and not (since and d.pulled_at >= since)]
        self._versions = {
            (file.origin, file.etag) for d in whole for file in last_seen(d, before=since)
        }
        self._by_key = {(d.key.unit, d.key.period): d for d in mine}

    def has(self, origin: str, version: str) -> bool:
        """Whether all that came from this version of a file or answer is delivered and live.

        If a pull was cut off or failed, what it brought is read again: days of it may be missing.
        """
        return (origin, version) in self._versions

    def of(self, cluster: str, day: date) -> Delivery | None:
        """Returns the live delivery of a cluster's UTC day; None where there is none."""
        return self._by_key.get((self._unit(cluster), f"{day}"))

    def allocations(self, cluster: str, day: date) -> list[Allocation]:
        """Returns the delivered allocations of a cluster's UTC day; [] if its files are gone."""
        live = self.of(cluster, day)
        tables = (pq.read_table(path) for path in (live.paths if live and live.present else ()))
        return [Allocation.of_row(row) for table in tables for row in table.to_pylist()]

    def origin(self, cluster: str, day: date) -> str:
        """Returns the URI of the file that a cluster's delivered day came from; "" if none."""
        live = self.of(cluster, day)
        return live.files[0].origin if live and live.files else ""

    @property
    def any(self) -> bool:
        """Whether the source has a live delivery of any cluster and day."""
        return bool(self._by_key)

    def keys_of(self, origin: str) -> set[tuple[str, date]]:
        """Returns (cluster, day) of each live delivery that came from the file `origin`."""
        return {
            (unit.removeprefix(self._unit("")), date.fromisoformat(day))
            for (unit, day), live in self._by_key.items()
            if any(file.origin == origin for file in live.files)
        }

    def has_other_parts(self, cluster: str, day: date, origins: Container[str]) -> bool:
        """Whether any of a cluster's delivered day came from a file other than the given ones."""
        live = self.of(cluster, day)
        return live is not None and any(file.origin not in origins for file in live.files)

    def parts_of_other_files(self, origins: Container[str]) -> Iterator[tuple[str, date, str]]:
        """Yields (cluster, day, file) per delivered file that came from none of the given ones."""
        for (unit, day), live in self._by_key.items():
            for file in live.files:
                if file.origin not in origins:
                    cluster = unit.removeprefix(self._unit(""))
                    yield cluster, date.fromisoformat(day), file.origin

    def seen_before_their_end(
        self, newest: Mapping[str, date], here: AbstractSet[str]
    ) -> set[tuple[str, date]]:
        """Returns (cluster, day) of days that are over now and were not when they were pulled.

        Only days up to the `newest` of a cluster, all of whose files are still `here`.
        """
        now, found = datetime.now(UTC), set[tuple[str, date]]()
        for (unit, period), live in self._by_key.items():
            cluster, day = unit.removeprefix(self._unit("")), date.fromisoformat(period)
            is_stated = day <= newest.get(cluster, date.min)
            if is_stated and live.pulled_at < end_of_day(live) <= now:
                found |= {(cluster, day)} if here >= {file.origin for file in live.files} else set()
        return found

    def machines(self) -> dict[str, tuple[str, str | None]]:
        """Maps each node to the id and instance type of its delivered EC2 instance, if any."""
        return {node: (name, kind) for node, name, kind in _nodes(self._by_key.values()) if name}

    def instance_types(self, cluster: str) -> TypesByDay:
        """Maps each of a cluster's nodes to its delivered instance type by day."""
        types: TypesByDay = {}
        for (unit, day), live in self._by_key.items():
            if unit == self._unit(cluster):
                for node, _, kind in _nodes([live]):
                    if node and kind:
                        types.setdefault(node, {})[date.fromisoformat(day)] = kind
        return types

    def first_day(self, cluster: str) -> date | None:
        """Returns the first UTC day on which a cluster has a delivered row; null without any."""
        unit = self._unit(cluster)
        days = [day for (of, day), live in self._by_key.items() if of == unit and live.rows]
        return min(map(date.fromisoformat, days), default=None)

    def without_emptier(
        self, days: Iterable[ClusterDay], notices: list[str], why: str
    ) -> Iterator[ClusterDay]:
        """Yields newly read days that lost no job delivered before; `notices` gets the others.

        They lack a job, or tell a part of a day that was seen to its end before. `why` says in
        words what makes such a source forget.
        """
        for each in days:
            live = self.of(each.unit, each.day) or self.of(each.cluster, each.day)
            known = owners(live.paths, each.region) if live and live.present else set()
            if live and live.present and not each.is_over and _is_seen_whole(live):
                notices.append(
                    f"{each.cluster}: {each.origin} no longer tells all of {each.day}, which it "
                    f"told to its end before: {why}; the delivered day stays"
                )
            elif lost := known - _owners(each.allocations):
                jobs = sorted({f"{job}" for job, *_ in lost if job})
                notices.append(
                    f"{each.cluster}: {each.origin} no longer has "
                    f"{count(len(jobs) or len(lost), 'job')} of "
                    f"{each.day}, {next(iter(jobs), 'an event')} for one, which it told before: "
                    f"{why}; the delivered day stays"
                )
            else:
                yield each

    def _unit(self, cluster: str) -> str:
        batch = Batch(cluster, "", lambda _: None)
        return accounts.with_account_in_key(self._options, replace(batch)).unit


def _nodes(
    deliveries: Iterable[Delivery],
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yields (node, machine id, instance type) per delivered row of allocations."""
    columns = ["node", "resource", "instance_type"]
    for live in deliveries:
        for path in live.paths if live.present else ():
            for row in pq.read_table(path, columns=columns).to_pylist():
                yield row["node"], row["resource"], row["instance_type"]


def _is_seen_whole(live: Delivery) -> bool:
    """Whether a delivered day was over when it was pulled, and observed to its end."""
    tables = (pq.read_table(path, columns=["observed_at"]) for path in live.paths)
    seen = [row["observed_at"].replace(tzinfo=UTC) for table in tables for row in table.to_pylist()]
    return is_of_whole_day(live) and max(seen, default=live.pulled_at) >= end_of_day(live)


def _owners(allocations: Iterable[Allocation]) -> set[tuple[object, ...]]:
    return _with_numbered_attempts(
        tuple(getattr(each, name) for name in OWNERS) for each in allocations
    )


def owners(paths: Iterable[Path], region: str = "") -> set[tuple[object, ...]]:
    """Returns (job, node, reason, n-th attempt) per delivered allocation of a region, or all.

    An older key names no region, and the day may be that of another one.
    """
    filters = [("region", "=", region)] if region else None
    tables = (pq.read_table(path, columns=list(OWNERS), filters=filters) for path in paths)
    return _with_numbered_attempts(
        tuple(row.values()) for table in tables for row in table.to_pylist()
    )


def _with_numbered_attempts(found: Iterable[tuple[object, ...]]) -> set[tuple[object, ...]]:
    """Returns (job, node, reason, n) tuples: a job's attempts on a node are renumbered from 0."""
    attempts: dict[tuple[object, ...], set[object]] = {}
    for *owner, attempt in found:
        attempts.setdefault(tuple(owner), set()).add(attempt)
    return {(*owner, n) for owner, every in attempts.items() for n in range(len(every))}

"""Finds which machine a node's name stood for, and when, since schedulers reuse node names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
SKEW = timedelta(minutes=1)
"""How far apart the clocks of a scheduler and of EC2 may be."""
UNSEEN = timedelta(minutes=10)
"""A machine may stand behind its node's name for so long before anybody sees it."""


@dataclass(frozen=True, order=True)
class Stay:
    """The time in which one machine stood behind a node's name; `until` is null while it does.

    `neuron_cores` is how many it says it has: its driver may join physical ones.
    """

    cluster: str
    node: str
    since: datetime
    until: datetime | None
    resource: str
    instance_type: str | None = None
    cpus: int | None = None
    neuron_cores: Decimal | None = None

    @property
    def end(self) -> datetime:
        """When a machine stopped standing behind a node's name; the year 9999 while it has not."""
        return self.until or FOREVER


class Piece(NamedTuple):
    """A part of an interval on one node, and the machine behind its name; null where unknown."""

    start: datetime
    end: datetime | None
    stay: Stay | None


class NodeMachines:
    """Looks up which machine stood behind a node's name, and when."""

    def __init__(self, stays: Iterable[Stay]) -> None:
        self._by_node: dict[tuple[str, str], list[Stay]] = {}
        for stay in sorted(stays, key=lambda one: (one.cluster, one.node, one.since, one.resource)):
            self._by_node.setdefault((stay.cluster, stay.node), []).append(stay)
        self._by_node = {key: _one_at_a_time(all_) for key, all_ in self._by_node.items()}

    def within(self, start: datetime, end: datetime) -> list[Stay]:
        """Lists which machine was behind which node in an interval, cut to it, sorted by node."""
        stays = (stay for key in sorted(self._by_node) for stay in self._by_node[key])
        return [
            replace(stay, since=max(stay.since, start), until=min(stay.end, end))
            for stay in stays
            if stay.since < end and stay.end > start
        ]

    def pieces(
        self, cluster: str, node: str, start: datetime, end: datetime | None
    ) -> Iterator[Piece]:
        """Splits an interval on a node into parts, each with its machine or null if unknown.

        A machine that is known from up to a minute after the interval's start counts from its
        start, because clocks differ. Up to `UNSEEN` before it is known it boots, which is no part
        of another machine: these minutes are left out, and fall on its first job (METHOD §2.10).
        Left out, too, is the rest up to `UNSEEN` after it is gone: schedulers notice that later.
        One on another day stays: nothing else of that day may tell of the job.
        """
        at, last, gone = start, end or FOREVER, False
        for stay in self._by_node.get((cluster, node), []):
            if stay.end <= at or stay.since >= last:
                continue
            if stay.since - at > UNSEEN:
                yield Piece(at, stay.since, None)
            at = stay.since if stay.since - at > SKEW else at
            yield Piece(at, end if stay.end >= last else stay.end, stay)
            at, gone = stay.end, True
        rest = UNSEEN if gone and _last_day(at) == _last_day(last) else timedelta(0)
        if last - at > rest:
            yield Piece(at, end, None)


def _last_day(moment: datetime) -> date:
    """Returns the last UTC day of an interval from its end: at midnight it is the day before."""
    return (moment - datetime.resolution).date()


def stays_since(seen: datetime, left: datetime | None) -> datetime:
    """Returns when a machine's time as a node begins: some minutes before it is first seen.

    It is `UNSEEN` before, but not before another machine `left` the name: its jobs are its own.
    """
    since = seen - UNSEEN
    return min(seen, max(since, left or since))


def _one_at_a_time(stays: list[Stay]) -> list[Stay]:
    """Cuts the times of machines with one node name: each ends where the next one begins."""
    last = [replace(one, until=min(one.end, next_.since)) for one, next_ in pairwise(stays)]
    return [*(stay for stay in last if stay.end > stay.since), stays[-1]]

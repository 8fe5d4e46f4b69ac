"""Turns attempts of Slurm jobs and events of Slurm nodes into allocations of machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from ingest.allocations.allocation import Allocation
from ingest.allocations.machine_types import PLACES, accelerators_of, as_accelerators
from ingest.allocations.node_machines import NodeMachines, Piece
from ingest.allocations.node_types import NodeTypes
from ingest.allocations.slurm.head_node import Event
from ingest.allocations.slurm.jobs import Attempt


@dataclass(frozen=True)
class HeldNodes:
    """Turns jobs and events on Slurm's nodes into allocations of the machines behind them.

    `types` are the instance types of nodes without a known machine.
    """

    machines: NodeMachines
    types: NodeTypes

    def of_attempt(self, attempt: Attempt, observed_at: datetime) -> Iterator[Allocation]:
        """Yields a Slurm job attempt's allocations: per node, one for each machine behind it."""
        cores = attempt.per_node(attempt.given.neuron_cores)
        cpus, parts = attempt.per_node(attempt.given.cpus), self._parts(attempt)
        for node in attempt.nodes:
            for piece in self.machines.pieces(attempt.cluster, node, attempt.start, attempt.end):
                kind = self._type(node, piece)
                held = parts.get(node)
                if held is None and cores is not None:
                    held = as_accelerators(cores, kind)
                attempt.line.refuse_more_than_all(held, None, kind)
                place = self._place(attempt.cluster, node, piece, observed_at)
                yield replace(
                    place,
                    accelerators=held,
                    cpus=cpus,
                    of_cpus=_unless_fewer(place.of_cpus, cpus),
                    job=attempt.job,
                    attempt=attempt.number,
                    state=attempt.state,
                    queued_at=attempt.queued_at,
                    labels=attempt.labels,
                )

    def of_events(self, events: Iterable[Event], observed_at: datetime) -> Iterator[Allocation]:
        """Yields, per event and machine, an allocation with the reason why jobs could not use it.

        A node without a machine is none that is paid for: it is left out.
        """
        for event in events:
            end = event.until
            for piece in self.machines.pieces(event.cluster, event.node, event.since, end):
                if self._type(event.node, piece) or piece.stay:
                    yield replace(
                        self._place(event.cluster, event.node, piece, observed_at),
                        reason=event.reason,
                        labels={"reason": event.text} if event.text else {},
                    )

    def _parts(self, attempt: Attempt) -> dict[str, Decimal]:
        """Maps each node to its part of a job attempt's accelerators: equal, as far as it has them.

        Slurm's accounting does not tell nodes apart. Example: of 12 on nodes of 8 and of 4, these
        are 8 and 4. Where all nodes together have fewer, the parts are equal, and too large.
        """
        every = attempt.given.accelerators
        room = {node: self._room(attempt, node) for node in attempt.nodes}
        some = {node: has for node, has in room.items() if has != 0}
        if every is None or not some:
            return {}
        even = dict.fromkeys(some, round(every / len(some), PLACES))
        if all(has is None or even[node] <= has for node, has in some.items()):
            return even
        return _filled(every, some) or even

    def _room(self, attempt: Attempt, node: str) -> Decimal | None:
        """Returns how many accelerators a node has, by its first known type; null if unknown."""
        pieces = self.machines.pieces(attempt.cluster, node, attempt.start, attempt.end)
        kinds = (self._type(node, piece) for piece in pieces)
        return accelerators_of(next((kind for kind in kinds if kind), None))

    def _place(self, cluster: str, node: str, piece: Piece, observed_at: datetime) -> Allocation:
        """Makes the allocation of one interval on a node, on its known instance or type."""
        stay, kind = piece.stay, self._type(node, piece)
        return Allocation(
            cluster,
            piece.start,
            piece.end,
            observed_at,
            resource=stay.resource if stay else None,
            pool=kind if kind and not stay else None,
            node=node,
            instance_type=kind,
            of_cpus=Decimal(stay.cpus) if stay and stay.cpus else None,
        )

    def _type(self, node: str, piece: Piece) -> str | None:
        if piece.stay and piece.stay.instance_type:
            return piece.stay.instance_type
        return self.types.of(node, piece.start.date())


def _unless_fewer(has: Decimal | None, held: Decimal | None) -> Decimal | None:
    """Returns a machine's CPUs; null where the job had more, so they are another machine's.

    So they are where machines of a type differ in hyperthreading, or nodes of a job in size.
    """
    return None if has is not None and held is not None and held > has else has


def _filled(left: Decimal, room: Mapping[str, Decimal | None]) -> dict[str, Decimal]:
    """Maps each node to its part of a number, small nodes first; {} if they have less in all."""
    parts: dict[str, Decimal] = {}
    for node in sorted(room, key=lambda name: (room[name] is None, room[name] or 0)):
        even, has = round(left / (len(room) - len(parts)), PLACES), room[node]
        parts[node] = even if has is None else min(even, has)
        left -= parts[node]
    return {} if left else parts

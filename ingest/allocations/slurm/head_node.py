"""Reads which instances stood behind Slurm's nodes, and when nodes were down or drained.

Three tables: `sacctmgr -P show instance` (Slurm 23.11 and newer), the file of nodes and instances
that our script on the head node keeps, and `sacctmgr -P show event`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ingest.allocations.node_machines import FOREVER, Stay
from ingest.allocations.refusals import Line
from ingest.allocations.slurm.printed import Printed
from models.contract.errors import InputError

OPEN = ("", "Unknown", "None")
"""How a time is printed that has not come yet."""
AS_EPOCH = "print it with SLURM_TIME_FORMAT=%s"
INSTANCES = ("Cluster", "NodeName", "TimeStart", "TimeEnd", "InstanceId", "InstanceType")
NODES = ("cluster", "node", "instance_id", "instance_type", "from", "to")
EVENTS = ("Cluster", "NodeName", "TimeStart", "TimeEnd", "State", "Reason")
REASONS = (
    ("MAINT", "maintenance"),
    ("DOWN", "down"),
    ("FAIL", "down"),
    ("NO_RESPOND", "down"),
    ("DRAIN", "drained"),
)
"""Part of a node's state → why no job could use it; the first that fits."""
HEALTH = ("nhc", "health")
"""Words in the reason of a drain that a health check wrote."""


@dataclass(frozen=True)
class Event:
    """The time when no new job could start on a Slurm node, and why; no `until` while it lasts."""

    cluster: str
    node: str
    since: datetime
    until: datetime | None
    reason: str
    text: str

    @property
    def end(self) -> datetime:
        """When a Slurm node became usable again; the year 9999 while it is not."""
        return self.until or FOREVER


def stays(printed: Printed) -> Iterator[Stay]:
    """Yields, per line of a Slurm table, which EC2 instance was which node, from when to when."""
    for line, row in printed.rows():
        if printed.has(*INSTANCES):
            cluster, node, since, until, resource, kind = (row[name] for name in INSTANCES)
        elif printed.has(*NODES):
            cluster, node, resource, kind, since, until = (row[name] for name in NODES)
        else:
            raise unlike(printed, INSTANCES, NODES)
        if not resource.startswith("i-"):
            continue  # a node that stands for no instance of EC2
        line.refuse_unknown_type(kind or None)
        start, end = _interval(line, since, until, node, anywhen=True)
        cpus = line.count("cpus", row["cpus"]) if row.get("cpus") else None
        yield Stay(cluster, node, start, end, resource, kind or None, cpus)


def events(printed: Printed) -> Iterator[Event]:
    """Yields when and why Slurm nodes were down, drained or in maintenance, as `sacctmgr` printed.

    Other states, and what concerns no node, are left out. Raises `InputError`.
    """
    if not printed.has(*EVENTS):
        raise unlike(printed, EVENTS)
    for line, row in printed.rows():
        cluster, node, since, until, state, text = (row[name] for name in EVENTS)
        reason = _reason(state, text)
        if node and reason:
            start, end = _interval(line, since, until, node)
            yield Event(cluster, node, start, end, reason, text)


def unlike(printed: Printed, *expected: tuple[str, ...]) -> InputError:
    """Makes the `InputError` for a Slurm file whose header lacks the columns that are needed."""
    return InputError(
        f"{printed.origin} has other columns",
        value=", ".join(printed.columns)[:80],
        remedy=f"print {' or '.join(', '.join(columns) for columns in expected)}",
    )


def _reason(state: str, text: str) -> str | None:
    reason = next((reason for part, reason in REASONS if part in state.upper()), None)
    if reason == "drained" and any(word in text.casefold() for word in HEALTH):
        return "health_check"
    return reason


def _interval(
    line: Line, since: str, until: str, node: str, *, anywhen: bool = False
) -> tuple[datetime, datetime | None]:
    """Returns the start and end of a line's interval; the end is null while it lasts."""
    start = line.moment("the start", since, AS_EPOCH, anywhen=anywhen)
    open_ = until in OPEN
    end = None if open_ else line.moment("the end", until, AS_EPOCH, anywhen=anywhen)
    line.refuse_reversed(start, end, f"node {node}")
    return start, end

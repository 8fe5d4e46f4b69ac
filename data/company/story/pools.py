"""Defines the machines of two shared GPU pools: Slurm's `forge` and EKS's `ember-eks`.

Their machines bear the name of the cluster alone. They run longer than any job holds them: some
hours stand idle, and some are held by an unknown job.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from generator.charges import Charge, identifier, instance_hour
from generator.runs import Run
from generator.timeline import clock_hours
from generator.training import node
from generator.workloads import A100_40

from story.history import jobs, pods
from story.workloads import APPLIED, H100, ML

FORGE, EKS = "forge", "ember-eks"
NODE = "forge-p4d-1"
UP = timedelta(days=9)
"""Somebody starts the machine of `forge` on the second of a month, and stops it after nine days."""
DRAINED = (timedelta(days=1, hours=21), timedelta(days=2, hours=5))
"""Since the machine's start, in March and August 2026: between two jobs."""
FORGOTTEN = timedelta(hours=18)
"""How long a node of EKS stays after its last pod."""
NOTEBOOK = timedelta(hours=5)
"""How long somebody's notebook holds four of its GPUs then."""


@dataclass(frozen=True)
class Machine:
    """An instance of a pool, from its start until it was stopped."""

    instance: str
    instance_type: str
    account: str
    tag: tuple[str, str]
    start: datetime
    end: datetime

    def lines(self) -> Iterator[Charge]:
        """Yields the machine's bill lines by hour, tagged with its cluster alone."""
        for hour, share in clock_hours(self.start, self.end):
            tags = dict([self.tag])
            yield instance_hour(hour, share, self.account, self.instance_type, self.instance, tags)


def forge_machines() -> list[Machine]:
    """Returns the machines of the pool `forge`: one for nine days of each month."""
    tag = ("user:parallelcluster:cluster-name", FORGE)
    days = sorted({run.start.replace(day=2, hour=6, minute=0) for run in jobs()})
    return [
        Machine(identifier("i", FORGE, f"{day:%Y-%m}"), A100_40, APPLIED, tag, day, day + UP)
        for day in days
    ]


def eks_machines() -> list[Machine]:
    """Returns the machines of the EKS pool: one per run, up from before it to 18 hours after.

    A node is up 20 minutes before its run starts.
    """
    tag = ("aws:eks:cluster-name", EKS)
    early = timedelta(minutes=20)
    return [
        Machine(node(run, 0), H100, ML, tag, run.start - early, run.end + FORGOTTEN)
        for run in pods()
    ]


def machines() -> list[Machine]:
    """Returns the machines of both pools."""
    return [*forge_machines(), *eks_machines()]


def members() -> set[str]:
    """Returns the names of runs that shared a pool's machines, whose bill lines have no run tag."""
    return {run.name for run in (*jobs(), *pods())}


def on_machine(machine: Machine) -> list[Run]:
    """Returns the runs of pool `forge` that started on a given machine while it was up."""
    return [run for run in jobs() if machine.start <= run.start < machine.end]

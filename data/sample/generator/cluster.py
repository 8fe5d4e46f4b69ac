"""Simulates a Slurm cluster: machines tagged with its name alone, and their jobs' allocations.

The bill of these machines has no tag of a workload or a run. What Slurm would tell is stated in
`allocations/`: each run is a job that holds its nodes from launch to shutdown, so that every line
is of one run, and one machine that nobody asked for stands idle.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from generator.charges import Charge, identifier
from generator.history import all_runs
from generator.runs import Run
from generator.timeline import PROGRESS_UNTIL, at
from generator.training import node
from generator.workloads import ATLAS, LUMEN, TRN

CLUSTER = "hpc"
TAG = "user:parallelcluster:cluster-name"
OWNERS = ("user:workload", "user:run")
SINCE = at("2026-05-01T00:00")
FORGOTTEN = identifier("i", LUMEN.name, TRN)
"""Left running for three days (`company.tagged_with_a_workload_only`)."""
EVENTS = (
    ("drained", "2026-05-04T20:00", "2026-05-05T14:00"),
    ("health_check", "2026-05-06T09:00", "2026-05-06T11:00"),
    ("down", "2026-05-07T09:00", "2026-05-07T12:00"),
)
"""Why nobody could use it, at times; the rest of its three days no job asked for it."""
FIRST_JOB = 41_001
COLUMNS = (
    "cluster", "resource", "instance_type", "held_from", "held_to", "accelerators", "workload",
    "run", "job", "reason", "queued_at", "observed_at",
)  # fmt: skip


def members() -> list[Run]:
    """Returns the runs that were jobs of the cluster, in order of their start."""
    mine = (
        run
        for run in all_runs()
        if run.workload in (ATLAS, LUMEN) and run.instance_type == TRN and run.start >= SINCE
    )
    return sorted(mine, key=lambda run: (run.start, run.name))


def named(lines: Iterable[Charge]) -> Iterator[Charge]:
    """Yields all bill lines; those of the cluster's machines get its tag, and lose the run's."""
    machines = {node(run, number) for run in members() for number in range(run.workload.nodes)}
    machines.add(FORGOTTEN)
    for line in lines:
        if line.resource in machines and line.instance_type:
            other_tags = {key: value for key, value in line.tags.items() if key not in OWNERS}
            line = replace(line, tags={**other_tags, TAG: CLUSTER})
        yield line


def rows() -> Iterator[dict[str, object]]:
    """Yields rows of who used which machine: a row per job and node, and one idle machine."""
    for number, run in enumerate(members(), FIRST_JOB):
        waited = Random(f"queue {run.name}").uniform(0.05, 5.5)
        queued = run.start - timedelta(minutes=round(waited * 60))
        for place in range(run.workload.nodes):
            if run.start < PROGRESS_UNTIL:
                yield {
                    "resource": node(run, place),
                    "held_from": instant(run.start),
                    "accelerators": 16,
                    "workload": run.workload.name,
                    "run": run.name,
                    "job": number,
                    "queued_at": instant(queued),
                    **ended(run.end),
                }
    for reason, first, last in EVENTS:
        span = {"held_from": instant(at(first)), "held_to": instant(at(last))}
        yield {"resource": FORGOTTEN, "reason": reason, **span}


def ended(moment: datetime) -> dict[str, object]:
    """Returns a dict with a job's end, or with when it was last seen running."""
    if moment > PROGRESS_UNTIL:
        return {"observed_at": instant(PROGRESS_UNTIL)}
    return {"held_to": instant(moment)}


def instant(moment: datetime) -> str:
    """Formats a UTC time as ISO 8601 with `Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


def write(folder: Path) -> None:
    """Writes the cluster's allocations as a CSV file into a new folder."""
    folder.mkdir(parents=True)
    about = {"cluster": CLUSTER, "instance_type": TRN}
    with (folder / f"{CLUSTER}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(about | row for row in rows())

"""Converts the output of `sacct` to job attempts: which job had which nodes, and when.

A row is one attempt of a job, array task or component of a heterogeneous job. Each requeued attempt
has a row of its own (`sacct -D`). A suspended job holds its nodes. Steps are parts of a job and are
left out; so is what never started.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from ingest.allocations import labels
from ingest.allocations.machine_types import PLACES
from ingest.allocations.refusals import Line
from ingest.allocations.slurm.head_node import AS_EPOCH, OPEN, unlike
from ingest.allocations.slurm.printed import Printed
from ingest.allocations.slurm.resources import ACCELERATORS, Given, given, nodes

REQUIRED = ("Cluster", "JobIDRaw", "State", "Submit", "Start", "End", "NodeList")
ACTIVE = ("RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED", "SIGNALING")
COMMENTS = ("Extra", "AdminComment", "Comment")
"""Texts that may hold labels; where two do, the later one counts: the job's own comment."""
LEADER = "+0"
"""How the id of the first component of a heterogeneous job ends, which is the job's own."""
LABELS = {
    "JobName": "job_name",
    "Account": "account",
    "Partition": "partition",
    "QOS": "qos",
    "WCKey": "wckey",
    "User": "user",
}


@dataclass(frozen=True)
class Attempt:
    """One attempt of a Slurm job: its times and nodes, and its resources on all nodes together."""

    line: Line
    cluster: str
    job: str
    number: int
    state: str
    queued_at: datetime
    start: datetime
    end: datetime | None
    nodes: tuple[str, ...]
    given: Given
    labels: dict[str, str] = field(default_factory=dict)

    def per_node(self, count: Decimal | None) -> Decimal | None:
        """Divides a count equally among a Slurm attempt's nodes, to 9 places; null stays null.

        Slurm's accounting does not tell the nodes of a job apart.
        """
        return None if count is None else round(count / len(self.nodes), PLACES)


def attempts(
    printed: Printed, observed_at: datetime, *, keep_user: bool, gres: tuple[str, ...] = ()
) -> Iterator[Attempt]:
    """Yields, from a `sacct` table, the job attempts that ran on nodes. Raises `InputError`.

    A component of a heterogeneous job has the labels of its leader's comment, but for its own.
    """
    if not printed.has(*REQUIRED):
        raise unlike(printed, REQUIRED)
    leaders = {
        _job(row): _comments(row)
        for _, row in printed.rows()
        if row.get("JobID", "").endswith(LEADER)
    }
    for line, row in printed.rows():
        held = nodes(line, row["NodeList"])
        if held and row["Start"] not in OPEN and "." not in row["JobIDRaw"]:
            attempt = _attempt(line, row, tuple(held), observed_at, gres)
            commented = {**leaders.get(attempt.job, {}), **_comments(row)}
            kept_labels = labels.without_people(_labels(row) | commented, keep_user=keep_user)
            yield replace(attempt, labels=kept_labels)


def _attempt(
    line: Line,
    row: dict[str, str],
    held: tuple[str, ...],
    observed_at: datetime,
    gres: tuple[str, ...],
) -> Attempt:
    start, end = (line.moment("Start", row["Start"], AS_EPOCH), _end(line, row, observed_at))
    queued_at = line.moment("Submit", row["Submit"], AS_EPOCH)
    line.refuse_reversed(start, end, f"job {row['JobIDRaw']}")
    cpus = row.get("NCPUS") or row.get("AllocCPUS") or ""
    return Attempt(
        line,
        row["Cluster"],
        _job(row),
        _number(line, row, queued_at),
        row["State"].split(" ", maxsplit=1)[0],  # `CANCELLED by 1000`
        queued_at,
        start,
        end,
        held,
        given(line, row.get("AllocTRES", ""), cpus, (*ACCELERATORS, *gres)),
    )


def _end(line: Line, row: dict[str, str], observed_at: datetime) -> datetime | None:
    """Returns when an attempt ended; null while it runs (`sacct -T` prints the time of asking)."""
    if row["End"] in OPEN:
        return None
    end = line.moment("End", row["End"], AS_EPOCH)
    active = row["State"].startswith(ACTIVE)
    return None if active and abs((observed_at - end).total_seconds()) < 2 else end


def _job(row: dict[str, str]) -> str:
    """Returns a row's raw job id; for a component of a heterogeneous job its leader's id.

    That is what `SLURM_JOB_ID` is in all of its tasks. Example: `12+1` is a part of job 12.
    """
    leader, plus, _ = row.get("JobID", "").partition("+")
    return leader if plus else row["JobIDRaw"]


def _number(line: Line, row: dict[str, str], queued_at: datetime) -> int:
    """Returns a number that tells a job's attempts apart: its restarts, else its submit time.

    Slurm before 23.11 does not print restarts; a requeued job is submitted anew.
    """
    restarts = row.get("Restarts", "")
    return line.count("Restarts", restarts) if restarts else int(queued_at.timestamp())


def _labels(row: dict[str, str]) -> dict[str, str]:
    held = {name: row[column] for column, name in LABELS.items() if row.get(column)}
    array, is_task, _ = row.get("JobID", "").partition("_")
    if is_task:
        held["array_job"] = array
    return held


def _comments(row: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for column in COMMENTS:
        found |= labels.from_comment(row.get(column, ""))
    return found

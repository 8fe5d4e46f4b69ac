"""The attempts of an AWS Batch job: where each ran, from when until when, with what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

Document = dict[str, Any]
NEURON = re.compile(r"^/dev/neuron\d+$")
"""A Trainium device that a job is given; there is no resource requirement of its name."""

ALIVE = ("STARTING", "RUNNING")
ENDED = ("SUCCEEDED", "FAILED")


@dataclass(frozen=True)
class Attempt:
    """One attempt of an AWS Batch job on one container instance; `end` is null while it runs."""

    job: str
    number: int
    container_instance: str
    start: datetime | None
    end: datetime | None
    state: str
    queued_at: datetime
    accelerators: Decimal | None
    cpus: Decimal | None
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def ecs_cluster(self) -> str:
        """The ARN of the ECS cluster, derived from that of the attempt's container instance."""
        place, _, named = self.container_instance.partition(":container-instance/")
        return f"{place}:cluster/{named.partition('/')[0]}"


def attempts(job: Document) -> Iterator[Attempt]:
    """Yields each attempt of an AWS Batch job that was placed on a container instance.

    One of which nobody knows when it ended is left out until the job runs again, or has ended.
    While a job runs, its own container is the attempt that is not over. The nodes of a parallel job
    (`1a2b#0`, `1a2b#1`) are attempts of one job.
    """
    over = job.get("attempts", [])
    for number, attempt in enumerate(over):
        instance, stopped_at = _instance(attempt), _stopped_at(job, number)
        if instance and (stopped_at or job["status"] in ALIVE):
            times = {**attempt, "stoppedAt": stopped_at}
            last = number == len(over) - 1 and job["status"] in ENDED
            state = "FAILED" if stopped_at and not last else job["status"]
            yield _attempt(job, number, instance, times, state)
    begun = {attempt.get("startedAt") for attempt in over}
    if job["status"] in ALIVE and job.get("startedAt") not in begun:
        instance = _instance(job)
        if instance:
            yield _attempt(job, len(over), instance, job, job["status"])


def _stopped_at(job: Document, number: int) -> int | None:
    """Returns when an attempt ended, in milliseconds; null while it runs.

    AWS Batch repeats failed attempts alone, one after another. Of one whose machine was taken away
    it may not say when: then it ended before the next one began, or with its job.
    """
    own: Document = job["attempts"][number]
    begun = [one.get("startedAt") for one in (*job["attempts"][number + 1 :], job)]
    following = next((at for at in begun if at and at != own.get("startedAt")), None)
    end = job.get("stoppedAt") if job["status"] in ENDED else None
    stopped: int | None = own.get("stoppedAt") or following or end
    return stopped


def _attempt(job: Document, number: int, instance: str, times: Document, state: str) -> Attempt:
    containers = _containers(job)
    devices = {
        one["hostPath"]
        for container in containers
        for one in container.get("linuxParameters", {}).get("devices", [])
        if NEURON.match(one["hostPath"])
    }
    cpus, accelerators = (_needed(containers, kind) for kind in ("VCPU", "GPU"))
    if cpus is None:
        cpus = containers[0].get("vcpus")
    if accelerators is None and devices:
        accelerators = Decimal(len(devices))
    return Attempt(
        job["jobId"].partition("#")[0],
        number,
        instance,
        _moment(times.get("startedAt")),
        _moment(times.get("stoppedAt")),
        state,
        _moment(job["createdAt"]) or datetime.now(UTC),
        accelerators,
        Decimal(cpus) if cpus is not None else None,
        {
            **job.get("tags", {}),
            "job_name": job["jobName"],
            "job_queue": job["jobQueue"].rpartition("/")[2],
            "job_definition": job.get("jobDefinition", "").rpartition("/")[2],
        },
    )


def _instance(place: Document) -> str:
    """Returns the ARN of the container instance of an attempt or a job; empty without one."""
    tasks = place.get("taskProperties") or place.get("ecsProperties", {}).get("taskProperties", [])
    named = [place.get("container", {}), *tasks]
    return next(
        (one["containerInstanceArn"] for one in named if one.get("containerInstanceArn")), ""
    )


def _containers(job: Document) -> list[Document]:
    """Returns a Batch job's containers as a list: those of its ECS tasks, else its only one."""
    tasks = job.get("ecsProperties", {}).get("taskProperties", [])
    of_tasks = [container for task in tasks for container in task.get("containers", [])]
    return of_tasks or [job.get("container", {})]


def _needed(containers: list[Document], kind: str) -> Decimal | None:
    """Sums the containers' requests for a resource (`GPU` or `VCPU`); null if none requests any."""
    needs = [
        Decimal(one["value"])
        for container in containers
        for one in container.get("resourceRequirements", [])
        if one["type"] == kind
    ]
    return sum(needs, Decimal(0)) if needs else None


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None

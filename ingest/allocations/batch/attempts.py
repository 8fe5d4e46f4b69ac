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

    While a job runs, its own container is the attempt that is not over. The nodes of a parallel job
    (`1a2b#0`, `1a2b#1`) are attempts of one job.
    """
    over = job.get("attempts", [])
    for number, attempt in enumerate(over):
        instance = _instance(attempt)
        if instance:
            yield _attempt(job, number, instance, attempt, _state(job, attempt))
    begun = {attempt.get("startedAt") for attempt in over}
    if job["status"] in ("STARTING", "RUNNING") and job.get("startedAt") not in begun:
        instance = _instance(job)
        if instance:
            yield _attempt(job, len(over), instance, job, job["status"])


def _state(job: Document, attempt: Document) -> str:
    """Returns an attempt's state; AWS Batch repeats failed ones alone, so earlier ones failed."""
    ended = job["status"] in ENDED and attempt is job["attempts"][-1]
    return job["status"] if ended or not attempt.get("stoppedAt") else "FAILED"


def _attempt(job: Document, number: int, instance: str, times: Document, state: str) -> Attempt:
    container = _container(job)
    needs = {
        one["type"]: Decimal(one["value"]) for one in container.get("resourceRequirements", [])
    }
    devices = container.get("linuxParameters", {}).get("devices", [])
    neuron = sum(bool(NEURON.match(one["hostPath"])) for one in devices)
    cpus = needs.get("VCPU", container.get("vcpus"))
    return Attempt(
        job["jobId"].partition("#")[0],
        number,
        instance,
        _moment(times.get("startedAt")),
        _moment(times.get("stoppedAt")),
        state,
        _moment(job["createdAt"]) or datetime.now(UTC),
        needs.get("GPU", Decimal(neuron) if neuron else None),
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


def _container(job: Document) -> Document:
    """Returns what says which resources a job has: its container, or the first of its task."""
    if "container" in job:
        own: Document = job["container"]
        return own
    tasks = job.get("ecsProperties", {}).get("taskProperties", [{}])
    first: Document = next(iter(tasks[0].get("containers", [])), {}) if tasks else {}
    return first


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None

"""Converts a pod with accelerators of a node into allocations of the machine behind the node.

Only pods that request accelerators hold anything: every node runs others beside them (METHOD §2.9).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation

from ingest.allocations.allocation import Allocation
from ingest.allocations.kubernetes.resources import accelerators, spelt
from ingest.allocations.labels import without_people
from ingest.allocations.machine_types import PLACES, more_than_all
from ingest.allocations.node_machines import NodeMachines
from models.config.settings import Settings
from models.contract.errors import InputError
from models.formats.allocations.owners import SCHEDULER_RUN
from models.formats.tag_keys import without_prefix
from models.intake.malformed_files import shown

MOST = 1_000
"""More accelerators than any node has."""
RUN_NAMES = (
    "jobset_sigs_k8s_io_jobset_name",
    "training_kubeflow_org_job_name",
    "ray_io_cluster",
    "batch_kubernetes_io_job_name",
    "batch_amazonaws_com_job_id",
    "job_name",
)
"""Labels of controllers that make many pods for one run; the first that a pod has is its run."""
INSTANCE = re.compile(r"\bi-[0-9a-f]+$")


@dataclass(frozen=True)
class Pod:
    """A Kubernetes pod and its requested accelerators; `end` is null while it has them.

    `origin` is what tells of it: the file of `kubectl`, or the server and day of a Prometheus.
    """

    uid: str
    node: str
    start: datetime
    end: datetime | None
    requests: Mapping[str, Decimal]
    state: str | None = None
    created_at: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True)
class HeldByPods:
    """Turns the pods of a Kubernetes cluster into allocations of the machines behind its nodes."""

    cluster: str
    machines: NodeMachines
    settings: Settings

    def of(self, pod: Pod, observed_at: datetime) -> Iterator[Allocation]:
        """Yields a pod's allocations: one per machine that its node's name stood for meanwhile.

        Raises `InputError`, which names origin and pod, where it holds more than the machine has.
        """
        labels = self._labels(pod)
        run = next((labels[name] for name in RUN_NAMES if name in labels), "")
        for piece in self.machines.pieces(self.cluster, pod.node, pod.start, pod.end):
            kind = piece.stay.instance_type if piece.stay else None
            cores = piece.stay.neuron_cores if piece.stay else None
            held = accelerators(pod.requests, kind, cores)
            _refuse_more_than_all(pod, held, kind)
            yield Allocation(
                self.cluster,
                piece.start,
                piece.end,
                observed_at,
                resource=piece.stay.resource if piece.stay else None,
                node=pod.node,
                instance_type=kind,
                accelerators=held,
                job=pod.uid,
                state=pod.state,
                queued_at=pod.created_at,
                labels=self._kept(labels | {SCHEDULER_RUN: run}),
            )

    def _kept(self, labels: Mapping[str, str]) -> dict[str, str]:
        return without_people(labels, keep_user=self.settings.allocations.keep_user)

    def _labels(self, pod: Pod) -> dict[str, str]:
        """Returns a pod's labels, keys spelled as in the config where Prometheus changed them."""
        tags = self.settings.tags
        keys = (tags.workload, tags.run, *tags.extra)
        own = {spelt(key): key for key in (*tags.extra, *map(without_prefix, keys))}
        return {own.get(key, key): value for key, value in pod.labels.items() if value}


def count_of(origin: str, pod: str, resource: str, text: object) -> Decimal:
    """Parses a pod's requested count of a resource; `InputError` if it is no possible count."""
    with suppress(InvalidOperation):
        number = Decimal(f"{text}")
        if number.is_finite() and 0 <= number < MOST:
            return round(number, PLACES)
    raise InputError(
        f"{origin}: {pod}'s request of {resource} is not a count",
        value=shown(f"{text}"),
        remedy="correct what its containers request",
    )


def instance(provider_id: str) -> str | None:
    """Returns the EC2 instance id in a node's provider ID (`aws:///…/i-0abc`); null without one."""
    last = INSTANCE.search(provider_id)
    return last[0] if last else None


def _refuse_more_than_all(pod: Pod, held: Decimal | None, kind: str | None) -> None:
    beyond = more_than_all(held, None, kind)
    if beyond:
        raise InputError(
            f"{pod.origin}: pod {pod.labels['pod']} holds more accelerators than its {kind} has",
            value=beyond,
            remedy="correct the request, or the label of the node's instance type",
        )

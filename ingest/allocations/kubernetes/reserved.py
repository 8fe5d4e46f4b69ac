"""Computes how many accelerators Kubernetes reserves for a pod, by all its containers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ingest.allocations.kubernetes.pods import count_of
from ingest.allocations.kubernetes.resources import holds, spelt

NONE = Decimal(0)
Item = dict[str, Any]
Counts = dict[str, Decimal]


def reserved(origin: str, pod: Item) -> Counts:
    """Maps each accelerator resource to how much of it Kubernetes reserves for a pod.

    Its containers and sidecars (init containers that are restarted always) run together. Before
    them each other init container runs beside the sidecars that began before it: the most counts.
    """
    running: Counts = {}
    most: Counts = {}
    for container in pod["spec"].get("initContainers", []):
        asked = _with(running, _asked(origin, pod, container))
        if container.get("restartPolicy") == "Always":
            running = asked
        else:
            most = _most(most, asked)
    for container in pod["spec"]["containers"]:
        running = _with(running, _asked(origin, pod, container))
    return _most(most, running)


def _asked(origin: str, pod: Item, container: Item) -> Counts:
    """Maps each accelerator resource, as Prometheus spells it, to a container's request."""
    resources = container.get("resources", {})
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {
        spelt(name): count_of(origin, pod["metadata"]["name"], name, count)
        for name, count in asked.items()
        if holds(spelt(name))
    }


def _most(counts: Counts, others: Counts) -> Counts:
    return {name: max(counts.get(name, NONE), others.get(name, NONE)) for name in counts | others}


def _with(counts: Counts, others: Counts) -> Counts:
    return {name: counts.get(name, NONE) + others.get(name, NONE) for name in counts | others}

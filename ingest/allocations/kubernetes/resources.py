"""The Kubernetes resources that are accelerators or parts of one, as Prometheus spells them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ingest.allocations.machine_types import as_accelerators
from ingest.allocations.mig import as_gpus, slices

ACCELERATORS = ("nvidia_com_gpu", "aws_amazon_com_neuron", "aws_amazon_com_neurondevice")
CORES = "aws_amazon_com_neuroncore"
HOLDING = "|".join((*ACCELERATORS, CORES, "nvidia_com_mig_.+"))
"""A pattern of the resources that hold a part of a machine."""


def spelt(name: str) -> str:
    """Spells a Kubernetes name as Prometheus does: `nvidia.com/gpu` becomes `nvidia_com_gpu`."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)


def holds(resource: str) -> bool:
    """Whether a resource, as Prometheus spells it, is an accelerator or a part of one."""
    return re.fullmatch(HOLDING, resource) is not None


def accelerators(
    requests: Mapping[str, Decimal], instance_type: str | None, cores: Decimal | None = None
) -> Decimal | None:
    """Sums a pod's requests as accelerators; null for NeuronCores of an unknown type.

    A slice of a GPU is its part of the GPU's processors: `nvidia.com/mig-3g.20gb` is 3 of 7.
    `cores` is how many NeuronCores the node itself says it has.
    """
    parts = sum((count * slices(name) for name, count in requests.items()), Decimal(0))
    whole = [count for name, count in requests.items() if name in ACCELERATORS]
    if whole or parts:
        return sum(whole, as_gpus(parts))
    return as_accelerators(requests.get(CORES, Decimal(0)), instance_type, cores)


def cores_of(status: Mapping[str, Any]) -> Decimal | None:
    """Returns a node's number of NeuronCores from its status; null where there are none.

    Cores that are broken are in its capacity alone; a plugin that restarts tells 0.
    """
    counts = [
        int(count)
        for counted in (status.get("capacity"), status.get("allocatable"))
        for name, count in (counted or {}).items()
        if spelt(name) == CORES and f"{count}".isdecimal()
    ]
    return Decimal(max(counts, default=0)) or None

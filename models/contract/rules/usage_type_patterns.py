"""Regular expressions that recognise kinds of charges: by usage type, service or commitment's id.

Formats use them on delivered lines and marts on typed charges, so both read a usage type alike.
"""

from __future__ import annotations

POD = r"(EKSPod|ECSTask)-EC2|(EKS|ECS)-EC2-[A-Za-z]+-Hours"
"""Split cost allocation: a container pod's or task's part of its instance (METHOD §2.9)."""
POD_PROCESSORS = r"(?i)vCPU|GB-?Hours|Memory"
"""Of a pod's rows, those of its vCPUs and memory; the other is of its accelerators."""
INSTANCE_HOURS = r"(BoxUsage|SpotUsage|DedicatedUsage):"
"""Hours of an EC2 instance: on demand, Spot or dedicated."""
BLOCK_FEE = r"(^|-)CapacityBlockFee"
"""The upfront fee of a Capacity Block (METHOD §2.7)."""
BLOCK_HOURS = r"BoxUsage:(p|trn|inf|g)[0-9]"
"""Hours that a Capacity Block may cover: billed at $0, and needed by the hour (METHOD §2.7)."""
ACCELERATOR_HOURS = (
    r"(BoxUsage|SpotUsage|DedicatedUsage|HostBoxUsage|Train|Cluster|ReservedCluster):"
    r"(ml\.)?(p|trn|g)[0-9]"
)
"""Hours of a machine with accelerators that jobs may share (METHOD §2.10)."""
MACHINE_HOURS = f"{ACCELERATOR_HOURS}|{POD}"
"""Lines that are divided by their period; what else belongs to a machine follows its day."""
MANAGED_CLUSTER = r"Cluster:ml\."
"""HyperPod: its lines name the cluster, not the machine."""
FEES_BY_INSTANCE = r"Elastic ?MapReduce|\bEMR\b"
"""A service that asks a fee for each hour of an instance, under EC2's usage type `BoxUsage:`."""
BESIDE_MACHINES = r"EBS:|DataTransfer|-Bytes"
"""Storage and traffic that may belong to a machine, and then follow its owners (METHOD §2.10.7)."""
RESERVES_CAPACITY = r"capacity-(reservation|block)|training-plan|^c[rb]-"
"""The id of a capacity reservation, a Capacity Block or a training plan: no price is committed."""

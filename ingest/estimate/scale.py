"""How large the company is assumed to be: what an estimate multiplies prices by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """How large the company is assumed to be for a cost estimate: workloads, runs, and so on."""

    workloads: int
    runs: int = 2
    """Runs of a workload in two weeks; one at a time."""
    usage_types: int = 5
    """Of a run's day."""
    other_types: int = 60
    """Usage types of a day's spend without a run."""
    rest_types: int = 25
    """Record type × usage type of a day's other charges."""
    groups: int = 5000
    """Groups on a page of Cost Explorer."""
    restated_days: int = 10
    """Days into a month on which AWS still changes the month before."""
    committed: bool = True
    """Whether Savings Plans or reservations cover some usage."""
    refunds: int = 4
    """Pulls of a month that find other refunds than the one before; 0: there are none at all."""
    metrics: int = 3
    """Metrics that a run reports."""
    samples: int = 96
    """Datapoints of a metric a day."""
    devices: int = 64
    """Series that tell how busy a workload's machines are; a Trn2 instance has 64 NeuronCores."""
    months: int = 14
    """Of an export; each pull reads their manifests."""
    files: int = 20
    """Of one month of an export, and of what is listed of all else."""

"""Defines the size of a company that an estimate assumes: workloads, runs, metrics, files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """The size of the company that a cost estimate assumes: workloads, runs, and so on."""

    workloads: int
    runs: int = 2
    """Runs of a workload in two weeks; one at a time."""
    usage_types: int = 5
    """Usage types of a day of a run."""
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
    """Pulls in a month that find changed refunds; 0 if there are no refunds at all."""
    metrics: int = 3
    """Metrics that a run reports."""
    samples: int = 96
    """Datapoints of a metric a day."""
    devices: int = 64
    """Series that show how busy a workload's machines are; a Trn2 instance has 64 NeuronCores."""
    months: int = 14
    """Months of an export; each pull reads their manifests."""
    files: int = 20
    """Files of one month of an export, or of any other source of files."""

"""The accelerator catalogue: the platform and hardware of each instance type (METHOD §1).

Read from `data/accelerators.csv`, whose rows name their sources.
"""

from __future__ import annotations

import csv
from functools import cache
from typing import NamedTuple

from models.contract.shipped_data import shipped

SEED = shipped("data/accelerators.csv")


class Accelerator(NamedTuple):
    """One EC2 instance type: platform, hardware, numbers of accelerators and vCPUs, peak speed.

    `hardware` is trainium, gpu or inferentia; `accelerators` is how many of them an instance has;
    `peak_tflops` what all of them compute at most, dense in BF16, by their makers' data sheets.
    `vcpus` is null where no source says it.
    """

    instance_type: str
    platform: str
    hardware: str
    accelerators: int
    peak_tflops: float | None
    vcpus: int | None


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Reads the catalogue of EC2's accelerator instance types from its CSV file, in file order."""
    with SEED.open(encoding="utf-8", newline="") as file:
        return tuple(map(_accelerator, csv.DictReader(file)))


def _accelerator(row: dict[str, str]) -> Accelerator:
    count, each = int(row["accelerators"]), row["bf16_dense_tflops_per_accelerator"]
    peak = count * float(each) if each else None
    vcpus = int(row["vcpus"]) if row["vcpus"] else None
    return Accelerator(row["instance_type"], row["platform"], row["hardware"], count, peak, vcpus)

"""The accelerator catalogue: the platform and hardware of each instance type (METHOD §1).

Read from `data/accelerators.csv`, whose rows name their sources.
"""

from __future__ import annotations

import csv
from functools import cache
from typing import NamedTuple

from models.contract.shipped_data import shipped

SEED = shipped("accelerators.csv")


class Accelerator(NamedTuple):
    """One accelerator instance type of EC2: its platform, hardware and number of accelerators.

    `hardware` is trainium, gpu or inferentia; `accelerators` is how many of them an instance has.
    """

    instance_type: str
    platform: str
    hardware: str
    accelerators: int


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Reads the catalogue of EC2's accelerator instance types from its CSV file, in file order."""
    with SEED.open(encoding="utf-8", newline="") as file:
        return tuple(
            Accelerator(
                row["instance_type"], row["platform"], row["hardware"], int(row["accelerators"])
            )
            for row in csv.DictReader(file)
        )

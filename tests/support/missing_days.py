"""A company two of whose clusters lack the allocations of a day, and whose bill has an open day."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from models.config.settings import Settings
from tests.support.delivered_allocations import deliver, held
from tests.support.world import World

TRN1 = "trn1.32xlarge"
FIRST, LAST = "2025-09-01T00:00:00", "2025-09-11T00:00:00"
ALLOCATIONS = (
    "$520 of shared machines on 2 days between 4 Sep 2025 and 8 Sep 2025 waits for allocations and "
    "is in no figure yet. $480 more of workloads that share machines on 8 Sep 2025 waits for "
    "allocations, too, and is in no run's cost and no saving yet."
)
BILL = (
    "$20.00 delivered so far on 30 Oct 2025 waits for the rest of the bill and is in no figure yet."
)
UNSETTLED = [
    (date(2025, 9, 4), "allocations", 500),
    (date(2025, 9, 8), "allocations", 20),
    (date(2025, 9, 8), "workload_day", 480),
    (date(2025, 10, 30), "bill", 20),
]


def company(folder: Path) -> World:
    """GPU runs in May; ten days of node i-1 of `hpc`, $480 each, and i-2 of `lab`, $20 each.

    Machine i-2 bears the tag of workload `own`. A run has an hour on a day that is not settled.
    """
    world = World(folder)
    world.run("g1", "p4d.24xlarge", "2025-05-05", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12", 110, 25, 10)
    own = {"workload": "own", "parallelcluster:cluster-name": "lab"}
    for number in range(10 * 24):
        at = f"2025-09-{1 + number // 24:02}T{number % 24:02}:00:00"
        world.hours(at, 1, TRN1, 20, {}, ResourceId="i-1")
        if not number % 24:
            world.hours(at, 1, TRN1, 20, own, ResourceId="i-2")
    for at, epoch in ((FIRST, 0), (LAST, 40)):
        world.sample(at, "t", epoch, loss=1.5)
    late = {"workload": "atlas-7b", "run": "late"}
    world.hours("2025-10-30T00:00:00", 1, TRN1, 20, late, ResourceId="i-3")
    return world


def pulled(folder: Path) -> Settings:
    """Job `t` holds i-1 all the time; of the fourth nothing is told, of `lab` nor of the eighth."""
    settings = company(folder).pulled(clusters={"gap_minutes": 0})
    job = {"accelerators": 16, "workload": "atlas-7b"}
    deliver(settings.data, [held(FIRST, LAST, run="t", job="t", **job)], missing=("2025-09-04",))
    lab = held(FIRST, LAST, cluster="lab", resource="i-2", run="l", job="l", **job)
    deliver(settings.data, [lab], missing=("2025-09-04", "2025-09-08"))
    return settings

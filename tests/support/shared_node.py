"""A node of a cluster in 48 hours: who held it, and runs that tags and rules tell of."""

from __future__ import annotations

from pathlib import Path

from models.config.settings import Settings
from tests.support.delivered_allocations import deliver, held
from tests.support.world import World

TRN1 = "trn1.32xlarge"
RULES = [
    {"match": {"aws:autoscaling:groupName": "ruled-*"}, "workload": "atlas-7b", "run": "r1"},
]


def company(folder: Path) -> World:
    """Node i-1 of cluster hpc for two days at $16 an hour; two runs elsewhere bear tags."""
    world = World(folder)
    world.config["tag_rules"] = RULES
    for hour in range(48):
        at = f"2025-09-{1 + hour // 24:02}T{hour % 24:02}:00:00"
        world.hours(at, 1, TRN1, 16, {"aws:eks:cluster-name": "hpc"}, ResourceId="i-1")
    for run, tags in (
        ("t1", {"workload": "atlas-7b", "run": "t1"}),
        ("r1", {"aws:autoscaling:groupName": "ruled-9"}),
    ):
        world.hours("2025-09-02T00:00:00", 10, TRN1, 16, tags, ResourceId=f"i-{run}")
    for run in ("a1", "t1", "r1"):
        for epoch, at in enumerate(("2025-09-02T00:30:00", "2025-09-02T09:00:00")):
            world.sample(at, run, epoch, loss=1.5)
    world.sample("2025-09-02T09:00:00", "unbilled", 1, loss=1.5)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return world


def shared_node(folder: Path) -> Settings:
    """Of 48 hours a1 holds 12, its second job after 3 of waiting, a stranger 6; 6 are drained."""
    settings = company(folder).pulled(clusters={"gap_minutes": 0})
    known = {"accelerators": 16, "workload": "atlas-7b", "run": "a1"}
    deliver(
        settings.data,
        [
            held("2025-09-01T00:00:00", "2025-09-01T06:00:00", job="1", **known),
            held("2025-09-01T12:00:00", "2025-09-01T18:00:00", job="2",
                 queued_at="2025-09-01T09:00:00Z", **known),
            held("2025-09-02T00:00:00", "2025-09-02T06:00:00", accelerators=16, job="3"),
            held("2025-09-02T06:00:00", "2025-09-02T12:00:00", reason="drained"),
        ],
    )  # fmt: skip
    return settings

"""A published world that what-ifs start from."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from models.config.settings import Settings
from tests.support.world import World


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """METHOD §8 A with upkeep, and beside it a workload without any GPU run; as of September."""
    world = World(tmp_path_factory.mktemp("told"))
    for name, hours, day in (("g1", 100, "02"), ("g2", 110, "12")):
        world.run(name, "p4d.24xlarge", f"2025-05-{day}T00:00:00", hours, 25, 10)
    for name, day, hours, epochs in (("t1", "02", 25, 4), ("t2", "08", "32.5", 5)):
        world.run(name, "trn1.32xlarge", f"2025-09-{day}T00:00:00", hours, 16, epochs)
    world.run("t3", "trn1.32xlarge", "2025-09-15T00:00:00", "36.25", 16, 6)
    world.run("n1", "trn1.32xlarge", "2025-09-15T00:00:00", 10, 16, 2, workload="nova-1b")
    for workload in ("vega", "dud", "waned", "poor", "kept", "later"):
        for name, hours, day in (("g1", 100, "02"), ("g2", 110, "12")):
            start = f"2025-05-{day}T00:00:00"
            world.run(name, "p4d.24xlarge", start, hours, 25, 10, workload=workload)
    world.run("v1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4, workload="vega")
    odd = {"workload": "vega", "recipe": "qlora"}
    world.run("v2", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 4, **odd)
    world.run("d1", "trn1.32xlarge", "2025-09-08T00:00:00", 25, 16, 0, workload="dud")
    world.run("w0", "trn1.32xlarge", "2025-07-01T00:00:00", 25, 16, 20, workload="waned")
    for week in range(12):
        start = f"{date(2025, 8, 6) + timedelta(weeks=week)}T00:00:00"
        world.run(f"w{week + 1}", "trn1.32xlarge", start, 10, 16, "0.8", workload="waned")
    for month in ("07", "09"):
        start = f"2025-{month}-02T00:00:00"
        world.run(f"k{month}", "trn1.32xlarge", start, 25, 16, 4, workload="kept")
    for day in ("02", "09"):
        start = f"2025-09-{day}T00:00:00"
        world.run(f"p{day}", "trn1.32xlarge", start, 25, 16, 4, workload="poor", loss=3.0)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    engineering = {"kind": "engineering", "days": 10, "day_rate": 1000}
    upkeep = {"kind": "upkeep", "amount_per_month": 150}
    world.config["investments"] = [
        {"workload": "atlas-7b", "date": "2025-08-15"} | engineering,
        {"workload": "vega", "date": "2025-08-15"} | engineering,
        *({"workload": w, "date": "2025-06-15"} | engineering for w in ("waned", "poor", "kept")),
        {"workload": "kept", "date": "2025-09-28"} | upkeep | {"amount_per_month": 15},
        {"workload": "kept", "date": "2025-10-28"} | upkeep | {"amount_per_month": 6},
        {"workload": "kept", "date": "2025-10-29"} | upkeep | {"amount_per_month": 9},
        {"workload": "atlas-7b", "date": "2025-10-31"} | upkeep,
        {"workload": "atlas-7b", "date": "2026-10-31"} | upkeep,
    ]
    world.config["workloads"] = [{"name": "kept", "ends": "2026-10-28"}]
    return world.build().settings

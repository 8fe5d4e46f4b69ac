"""A run that counts samples goes on from one that counts epochs of a known size (METHOD §3.1)."""

from __future__ import annotations

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

MILLION = 10**6


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Five epochs of a million samples, then the counter of samples alone, to ten million."""
    world = World(tmp_path_factory.mktemp("parents"))
    for begin, run, kind in ((1, "ga", "p4d.24xlarge"), (8, "tb", "trn1.32xlarge")):
        for day in range(begin, begin + 5):
            world.hours(f"2025-09-{day:02}", 24, kind, 10, {"workload": "w", "run": run})
    for day in range(6):
        size = {"workload": "w", "samples_per_epoch": MILLION}
        world.sample(f"2025-09-{1 + day:02}T00:00:00", "ga", day, **size)
    for day in range(5):
        told = {"workload": "w", "samples": (6 + day) * MILLION, "resumed_from": "ga"}
        world.sample(f"2025-09-{8 + day:02}T00:00:00", "tb", "", **told)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    return some_marts(world.pulled(), "progress_daily", "runs")


def test_the_parents_work_is_not_credited_again(marts: Marts) -> None:
    """Five million each: the second run was credited the ten million that its counter says."""
    found = marts.rows("SELECT run, unit, epochs FROM runs ORDER BY run")
    assert [tuple(row.values()) for row in found] == [
        ("ga", "million_samples", 5),
        ("tb", "million_samples", 5),
    ]
    days = "SELECT sum(samples) AS samples FROM progress_daily WHERE run = 'tb'"
    assert marts.row(days) == {"samples": 5 * MILLION}

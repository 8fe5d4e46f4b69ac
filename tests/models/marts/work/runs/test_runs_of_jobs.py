"""METHOD §2.10.3: what a run is flagged for is what its jobs held on any of its days."""

from __future__ import annotations

from pathlib import Path

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import World

TRN1 = "trn1.32xlarge"
ALL, HALF = {"accelerators": 16}, {"accelerators": 8}
JOBS = [
    ("a", "2025-09-01T10:00:00", "2025-09-01T11:00:00", ALL),
    ("b", "2025-09-01T10:00:00", "2025-09-01T11:00:00", HALF),  # the node has no half left
    ("a", "2025-09-02T10:00:00", "2025-09-02T16:00:00", ALL),
    ("b", "2025-09-03T10:00:00", "2025-09-03T11:00:00", HALF),
    ("c", "2025-09-03T10:00:00", "2025-09-03T11:00:00", HALF),
]


def node(folder: Path) -> World:
    """A node of a cluster for three days at $16 an hour, of which the bill tells one by the day."""
    world = World(folder)
    tags = {"aws:eks:cluster-name": "hpc"}
    for day in (1, 3):
        for hour in range(24):
            at = f"2025-09-{day:02}T{hour:02}:00:00"
            world.hours(at, 1, TRN1, 16, tags, ResourceId="i-1")
    whole = {"ResourceId": "i-1", "ChargePeriodEnd": "2025-09-03T00:00:00"}
    world.hours("2025-09-02T00:00:00", 24, TRN1, 16, tags, **whole)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return world


def test_a_run_is_flagged_for_what_it_held_on_any_of_its_days(tmp_path: Path) -> None:
    settings = node(tmp_path).pulled(clusters={"gap_minutes": 0})
    jobs = enumerate(JOBS)
    about = {"workload": "atlas-7b"}
    deliver(settings.data, [held(since, until, job=number, run=run, **about, **accelerators)
                            for number, (run, since, until, accelerators) in jobs])  # fmt: skip
    marts = some_marts(settings, "runs")
    flags = {row["run"]: row["flags"] for row in marts.rows("SELECT run, flags FROM runs")}
    of_jobs = ("over_allocated", "daily_allocation")
    assert {run: [flag for flag in of_jobs if flag in found] for run, found in flags.items()} == {
        "a": ["over_allocated", "daily_allocation"],
        "b": ["over_allocated"],
        "c": [],
    }


def test_a_job_that_still_ran_when_it_was_last_seen_has_no_end(tmp_path: Path) -> None:
    """Job 1 ended on one machine and runs on another, job 2 is over, job 3 ends on a later day."""
    settings = node(tmp_path).pulled()
    seen = {"observed_at": "2025-09-03T00:00:00Z", "workload": "atlas-7b", "accelerators": 4}
    ends = [(1, "i-1", "02T05"), (1, "i-2", None), (2, "i-1", "02T07"), (3, "i-1", "04T09")]
    rows = [
        held(f"2025-09-01T2{number}:00:00", until and f"2025-09-{until}:00:00", **seen)
        | {"run": "r", "job": number, "resource": machine}
        for number, machine, until in ends
    ]
    deliver(settings.data, rows, missing=("2025-09-03", "2025-09-04"))
    found = some_marts(settings, "run_jobs").rows("SELECT job, ended FROM run_jobs ORDER BY job")
    assert [(row["job"], row["ended"] and f"{row['ended']:%d %H:%M}") for row in found] == [
        ("1", None),
        ("2", "02 07:00"),
        ("3", None),
    ]

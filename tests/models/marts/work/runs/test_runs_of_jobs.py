"""METHOD §2.10.3: what a run is flagged for is what its jobs held on any of its days."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1 = "trn1.32xlarge"
ALL, HALF = {"accelerators": 16}, {"accelerators": 8}
JOBS = [
    ("a", "2025-09-01T10:00:00", "2025-09-01T11:00:00", ALL),
    ("b", "2025-09-01T10:00:00", "2025-09-01T11:00:00", HALF),  # the node has no half left
    ("a", "2025-09-02T10:00:00", "2025-09-02T16:00:00", ALL),
    ("b", "2025-09-03T10:00:00", "2025-09-03T11:00:00", HALF),
    ("c", "2025-09-03T10:00:00", "2025-09-03T11:00:00", HALF),
]


def node(world: World, machine: str, cluster: str) -> None:
    """A node of a cluster for three days at $16 an hour, of which the bill tells one by the day."""
    tags = {"aws:eks:cluster-name": cluster}
    for day in (1, 3):
        for hour in range(24):
            at = f"2025-09-{day:02}T{hour:02}:00:00"
            world.hours(at, 1, TRN1, 16, tags, ResourceId=machine)
    whole = {"ResourceId": machine, "ChargePeriodEnd": "2025-09-03T00:00:00"}
    world.hours("2025-09-02T00:00:00", 24, TRN1, 16, tags, **whole)


def jobs_of_three_runs() -> Iterator[dict[str, object]]:
    for number, (run, since, until, accelerators) in enumerate(JOBS):
        yield held(since, until, job=number, run=run, workload="atlas-7b", **accelerators)


def jobs_that_still_ran() -> Iterator[dict[str, object]]:
    """Job 1 ended on one machine and runs on another, job 2 is over, job 3 ends on a later day."""
    seen = {"observed_at": "2025-09-03T00:00:00Z", "workload": "atlas-7b", "accelerators": 4}
    ends = [(1, "i-3", "02T05"), (1, "i-4", None), (2, "i-3", "02T07"), (3, "i-3", "04T09")]
    for number, machine, until in ends:
        job = {"run": "seen", "job": number, "resource": machine, "cluster": "seen"}
        end = until and f"2025-09-{until}:00:00"
        yield held(f"2025-09-01T2{number}:00:00", end, **seen, **job)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """A cluster of a node for each case."""
    world = World(tmp_path_factory.mktemp("jobs"))
    node(world, "i-1", "hpc")
    node(world, "i-3", "seen")
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    settings = world.pulled(clusters={"gap_minutes": 0})
    deliver(settings.data, [*jobs_of_three_runs()])
    deliver(settings.data, [*jobs_that_still_ran()], missing=("2025-09-03", "2025-09-04"))
    return some_marts(settings, "runs", "run_jobs")


def test_a_run_is_flagged_for_what_it_held_on_any_of_its_days(marts: Marts) -> None:
    rows = marts.rows("SELECT run, flags FROM runs WHERE run <> 'seen'")
    of_jobs = ("over_allocated", "daily_allocation")
    flags = {row["run"]: [flag for flag in of_jobs if flag in row["flags"]] for row in rows}
    assert flags == {
        "a": ["over_allocated", "daily_allocation"],
        "b": ["over_allocated"],
        "c": [],
    }


def test_a_job_that_still_ran_when_it_was_last_seen_has_no_end(marts: Marts) -> None:
    found = marts.rows("SELECT job, ended FROM run_jobs WHERE run = 'seen' ORDER BY job")
    assert [(row["job"], row["ended"] and f"{row['ended']:%d %H:%M}") for row in found] == [
        ("1", None),
        ("2", "02 07:00"),
        ("3", None),
    ]

"""METHOD §2.10.6: a run holds its pool, whether a job or the machine's run tag says so."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

D = Decimal
GPU, TRN = "p4d.24xlarge", "trn1.32xlarge"
CLUSTER = {"aws:eks:cluster-name": "hpc"}
RUNS = [("g1", GPU, "2025-04-01"), ("g2", GPU, "2025-05-01"), ("g3", GPU, "2025-06-01"),
        ("t1", TRN, "2025-07-06")]  # fmt: skip
EMPTY = ("2025-07-13", "2025-07-14")


def company(folder: Path, *, by_tag: bool) -> SomeMarts:
    """Runs of a day each; a second Trainium machine and, after the move, the GPU one stand idle."""
    world = World(folder)
    for run, machine, day in RUNS:
        tags = {"workload": "atlas-7b", "run": run} if by_tag else {}
        _day(world, machine, day, f"i-{machine[0]}", CLUSTER | tags)
        world.sample(f"{day}T00:00:00", run, 0, loss=1.5)
        world.sample(f"{day}T23:00:00", run, 10, loss=1.5)
    _day(world, TRN, "2025-07-06", "i-idle", CLUSTER)
    for day in EMPTY:
        _day(world, GPU, day, "i-p", CLUSTER)
    head = {"x_UsageType": "BoxUsage:m5.large", "ResourceId": "i-head", "tags": CLUSTER}
    world.charge("2025-07-06T00:00:00", 12, **head)
    world.charge("2025-10-30T00:00:00", 1)
    settings = world.pulled()
    about: dict[str, Any] = {"workload": "atlas-7b"}
    jobs = [
        held(f"{day}T00:00:00", f"{day}T23:59:59", resource=f"i-{machine[0]}", run=run, job=run,
             instance_type=machine, accelerators=8 if machine == GPU else 16, **about)
        for run, machine, day in RUNS
    ]  # fmt: skip
    deliver(settings.data, jobs, empty=[("hpc", day) for day in EMPTY])
    return some_marts(settings, "pool_idle", "pools", "allocation_coverage", "runs", "spend_daily")


def _day(world: World, machine: str, day: str, resource: str, tags: dict[str, str]) -> None:
    for hour in range(24):
        world.hours(f"{day}T{hour:02}:00:00", 1, machine, 10, tags, ResourceId=resource)


@pytest.fixture(scope="module", params=[False, True], ids=["by allocation", "by tag"])
def marts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    return company(tmp_path_factory.mktemp("tagged"), by_tag=request.param)


def test_who_held_the_pool_bears_what_stands_idle_of_it(marts: SomeMarts) -> None:
    """$240 of a machine's idle day: overhead on Trainium; on GPU a cost of having moved."""
    assert marts.rows("SELECT * FROM pool_idle ORDER BY date") == [
        {"date": date(2025, 7, 6), "workload": "atlas-7b", "kind": "overhead", "amount": D(240)},
        *(
            {"date": date.fromisoformat(day), "workload": "atlas-7b", "kind": "stranded_cluster",
             "amount": D(240)}
            for day in EMPTY
        ),
    ]  # fmt: skip


def test_pools_and_coverage_have_every_hour_of_their_machines(marts: SomeMarts) -> None:
    pools = "SELECT month, instance_type, held_hours, idle_hours, owners FROM pools ORDER BY ALL"
    assert [tuple(row.values()) for row in marts.rows(pools)] == [
        *((f"2025-0{month}", GPU, 192, 0, {"atlas-7b": D(240)}) for month in (4, 5, 6)),
        ("2025-07", GPU, 0, 384, None),
        ("2025-07", TRN, 384, 384, {"atlas-7b": D(240)}),
    ]
    covered = "SELECT coverage FROM allocation_coverage WHERE month = '2025-07'"
    assert marts.rows(covered) == [{"coverage": pytest.approx(D(384) / D(1152))}]


def test_what_bears_the_clusters_tag_alone_falls_on_its_runs(marts: SomeMarts) -> None:
    head = "SELECT workload, run, attribution FROM spend_daily WHERE effective_cost = 12"
    assert marts.rows(head) == [{"workload": "atlas-7b", "run": "t1", "attribution": "shared"}]


def test_a_run_is_told_by_its_tag_where_it_has_one(
    marts: SomeMarts, request: pytest.FixtureRequest
) -> None:
    told = {row["identified_by"] for row in marts.rows("SELECT identified_by FROM runs")}
    assert told == {"tag" if "by tag" in request.node.name else "allocation"}

"""Six runs, each alone on its node of a cluster: pods of the bill tell, a scheduler, or both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.settings import Settings
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
RATES = {"p4d.24xlarge": D("21.957642"), "trn1.32xlarge": D("21.50")}
CHIPS = {"p4d.24xlarge": 8, "trn1.32xlarge": 16}
SPLIT = {"p4d.24xlarge": D("0.26"), "trn1.32xlarge": D("0.46")}
"""What AWS splits to a pod that holds every accelerator."""
RUNS = [
    *((f"g{n}", "p4d.24xlarge", f"2025-06-{10 * n - 5:02}T00:00:00", 100) for n in (1, 2, 3)),
    *((f"t{n}", "trn1.32xlarge", f"2025-09-{6 * n:02}T00:00:00", 60) for n in (1, 2, 3)),
]
ORPHAN = "999900000002"
ASKED = ("runs", "tie_out", "allocation_coverage")


def company(folder: Path) -> World:
    """Nodes that bear no tag, and what the six runs report: ten epochs each."""
    world = World(folder)
    for run, machine, start, hours in RUNS:
        for hour in _hours(start, hours):
            about = {"ResourceId": f"i-{run}", "x_UsageType": f"BoxUsage:{machine}"}
            world.hours(hour, 1, machine, RATES[machine], {}, ListCost=RATES[machine], **about)
        end = datetime.fromisoformat(start) + timedelta(hours=hours)
        world.sample(start, run, 0, loss=1.5)
        world.sample(end.isoformat(), run, 10, loss=1.5)
    world.charge("2025-09-06T00:00:00", 3, ResourceId="i-cpu", x_UsageType="DataTransfer-Out-Bytes")
    world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    return world


def _hours(start: str, hours: int) -> Iterator[str]:
    for number in range(hours):
        yield (datetime.fromisoformat(start) + timedelta(hours=number)).isoformat()


def with_pods(world: World) -> Settings:
    """The bill of a Kubernetes cluster: each run is a pod that holds every accelerator."""
    for run, machine, start, hours in RUNS:
        for hour in _hours(start, hours):
            pod = {
                "ResourceId": f"arn:aws:eks:us-east-1:999900000001:pod/train/default/{run}/u",
                "ParentResourceId": f"i-{run}",
                "tags": {"workload": "atlas-7b", "run": run},
                "ConsumedUnit": "Hours",
            }
            chips, cost = CHIPS[machine], RATES[machine] * SPLIT[machine]
            for meter, used, split in (("Accelerator", chips, cost), ("vCPU", 8, D("0.1"))):
                meters = {"x_UsageType": f"EKS-EC2-{meter}-Hours", "ConsumedQuantity": used}
                world.charge(hour, 0, SplitCost=split, **pod, **meters)
    web = {
        "ResourceId": "arn:aws:eks:us-east-1:999900000001:pod/train/default/web/u",
        "ParentResourceId": "i-cpu",
    }
    about = {"x_UsageType": "EKS-EC2-vCPU-Hours", "ConsumedUnit": "Hours", "ConsumedQuantity": 2}
    world.charge("2025-09-06T00:00:00", 0, SplitCost=D("0.1"), **web, **about)
    return world.pulled()


def with_jobs(world: World) -> Settings:
    """The same nodes in a Slurm cluster, whose jobs are named by its allocations."""
    settings = world.pulled()
    jobs = []
    for run, machine, start, hours in RUNS:
        end = (datetime.fromisoformat(start) + timedelta(hours=hours)).isoformat()
        queued = (datetime.fromisoformat(start) - timedelta(hours=2)).isoformat()
        about = {"instance_type": machine, "accelerators": CHIPS[machine], "job": run}
        owner = {"workload": "atlas-7b", "run": run, "queued_at": f"{queued}Z"}
        jobs.append(held(start, end, resource=f"i-{run}", **about, **owner))
    deliver(settings.data, jobs)
    return settings


def with_pods_and_late_jobs(world: World) -> Settings:
    """The pods, of whose newest run a source of Kubernetes tells as well: it was set up late."""
    settings = with_pods(world)
    run, machine, start, hours = RUNS[-1]
    end = (datetime.fromisoformat(start) + timedelta(hours=hours)).isoformat()
    about = {"instance_type": machine, "accelerators": CHIPS[machine], "cluster": "train"}
    owner = {"workload": "atlas-7b", "run": run}
    deliver(settings.data, [held(start, end, resource=f"i-{run}", **about, **owner)])
    return settings


WAYS = {"pods": with_pods, "jobs": with_jobs, "pods and jobs": with_pods_and_late_jobs}


@pytest.fixture(scope="module", params=WAYS.values(), ids=WAYS)
def marts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = company(tmp_path_factory.mktemp("cluster"))
    return some_marts(request.param(world), *ASKED)


def test_each_run_costs_what_its_node_cost(marts: Marts) -> None:
    costs = marts.rows("SELECT run, cost_per_epoch FROM runs ORDER BY run")
    assert [(row["run"], row["cost_per_epoch"]) for row in costs] == [
        *((f"g{n}", D("219.57642")) for n in (1, 2, 3)),
        *((f"t{n}", D("129")) for n in (1, 2, 3)),
    ]


def test_nothing_is_untagged_and_every_cent_has_its_place(marts: Marts) -> None:
    """The traffic of a node without accelerators is no run's, though a pod stands on it."""
    sums = marts.row(
        "SELECT sum(direct) AS direct, sum(untagged) AS untagged, sum(cluster_idle) AS idle, "
        "sum(other) AS other, sum(abs(remainder)) AS off FROM tie_out WHERE basis = 'effective'"
    )
    assert sums == {"direct": D("10457.2926"), "untagged": 0, "idle": 0, "other": 3, "off": 0}


def test_all_of_the_machines_is_explained(marts: Marts) -> None:
    found = marts.rows("SELECT coverage, undelivered_days FROM allocation_coverage")
    assert found == [{"coverage": 1, "undelivered_days": 0}] * 2


def test_what_a_run_waited_is_known_from_its_submission(marts: Marts) -> None:
    waits = {row["wait_hours"] for row in marts.rows("SELECT wait_hours FROM runs")}
    assert waits in ({None}, {D(2)})


def job_requeued(world: World) -> list[dict[str, object]]:
    """It waited an hour, then half an hour; of its third attempt nothing is told."""
    day = "2025-09-06T"
    for hour in ("09", "10", "11"):
        about = {"ResourceId": "i-again"}
        world.hours(f"{day}{hour}:00:00", 1, "trn1.32xlarge", 21, {}, **about)
    jobs, about = [], {"accelerators": 16, "workload": "atlas-7b", "run": "again", "job": "7"}
    for attempt, (queued, since, until) in enumerate(
        (("08:00", "09:00", "09:30"), ("09:30", "10:00", "10:30"), (None, "11:00", "11:30"))
    ):
        told = {"queued_at": f"{day}{queued}:00Z"} if queued else {}
        job = about | told | {"attempt": attempt, "cluster": "again"}
        jobs.append(held(f"{day}{since}:00", f"{day}{until}:00", resource="i-again", **job))
    return jobs


def run_of_no_known_workload(world: World) -> list[dict[str, object]]:
    """Progress tells whose the other run is, so that one is known."""
    start = "2025-09-06T00:00:00"
    for machine in ("i-1", "i-2"):
        world.hours(start, 1, "trn1.32xlarge", 21, {}, ResourceId=machine, SubAccountId=ORPHAN)
    world.sample(start, "known", 0)
    jobs, about = [], {"cluster": "orphan", "accelerators": 16, "workload": None}
    for machine, run in (("i-1", "known"), ("i-2", "orphan")):
        job = {"resource": machine, "run": run, "job": run}
        jobs.append(held(start, "2025-09-06T01:00:00", **about | job))
    return jobs


def run_of_two_chips(world: World) -> list[dict[str, object]]:
    """The bill names the type of one machine, the scheduler that of the other."""
    start, until = "2025-09-06T00:00:00", "2025-09-06T01:00:00"
    machines = (("1", "p4d.24xlarge", {}), ("2", "trn1.32xlarge", {"instance_type": None}))
    jobs = []
    for job, machine, told in machines:
        world.hours(start, 1, machine, 21, {}, ResourceId=f"i-chip-{job}")
        about = {"instance_type": machine, "workload": "atlas-7b", "run": "chips", "job": job}
        about |= {"cluster": "chips"}
        jobs.append(held(start, until, resource=f"i-chip-{job}", **about | told))
    return jobs


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """A company with a cluster for each of these cases."""
    world = World(tmp_path_factory.mktemp("few"))
    jobs = [*job_requeued(world), *run_of_no_known_workload(world), *run_of_two_chips(world)]
    settings = world.pulled()
    deliver(settings.data, jobs)
    return some_marts(settings, "runs", "run_jobs", "pools", "allocation_coverage", "spend_daily")


def test_a_job_that_is_requeued_waits_again(few: Marts) -> None:
    hours = " UNION ALL ".join(
        f"SELECT wait_hours FROM {name} WHERE run = 'again'" for name in ("runs", "run_jobs")
    )
    assert [row["wait_hours"] for row in few.rows(hours)] == [D("1.5")] * 2


def test_a_job_that_names_a_run_of_no_known_workload_is_nobodys(few: Marts) -> None:
    pool = few.row("FROM pools WHERE cluster = 'orphan'")
    assert (pool["held_cost"], pool["unknown_cost"], dict(pool["owners"])) == (
        21,
        21,
        {"atlas-7b": 21},
    )
    told = few.row(
        "SELECT known_hours, unknown_hours, coverage FROM allocation_coverage "
        "WHERE cluster = 'orphan'"
    )
    assert [*told.values()] == [16, 16, D("0.5")]
    spent = few.row(
        "SELECT sum(effective_cost) AS cost FROM spend_daily "
        "WHERE attribution = 'untagged' AND account = ?",
        ORPHAN,
    )
    assert spent["cost"] == pool["unknown_cost"]


def test_a_job_has_the_chip_of_its_machine_not_that_of_most_of_its_run(few: Marts) -> None:
    found = few.rows(
        "SELECT job, instance_type, platform, hardware FROM run_jobs WHERE run = 'chips' "
        "ORDER BY job"
    )
    assert [tuple(row.values()) for row in found] == [
        ("1", "p4d.24xlarge", "p4d", "gpu"),
        ("2", "trn1.32xlarge", "trn1", "trainium"),
    ]

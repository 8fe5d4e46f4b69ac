"""Jobs of one number in several clusters are told apart by when progress was reported."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.config.settings import Settings
from models.engine.source_lines.bill_lines import bill_lines
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import published_lines
from tests.support.world import Marts, World

D = Decimal
TRN1 = "trn1.32xlarge"
DAY = "2025-09-01T"
MORNING, NOON = ("10:00:00", "11:00:00"), ("14:00:00", "15:00:00")
JOBS = (
    # number, cluster, machine, when, what else is told
    ("171", "hpc", "i-1", MORNING, {}),
    ("171", "lab", "i-2", NOON, {}),
    ("172", "hpc", "i-3", MORNING, {}),
    ("172", "lab", "i-4", MORNING, {}),
    ("173", "hpc", "i-5", MORNING, {"workload": "bard"}),
    ("173", "lab", "i-6", NOON, {"workload": "bard"}),
    ("174", "hpc", "i-7", MORNING, {"workload": "bard"}),
    ("174", "lab", "i-8", NOON, {"workload": "atlas-7b"}),
    ("175", "hpc", "i-9", MORNING, {"workload": "bard", "account": "111111111111"}),
    ("175", "hpc", "i-10", NOON, {"workload": "bard", "account": "222222222222"}),
    ("176", "hpc", "i-11", MORNING, {"workload": "bard", "run": "same"}),
    ("176", "lab", "i-12", NOON, {"workload": "bard", "run": "same"}),
)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    world = World(tmp_path_factory.mktemp("alike"))
    for number, (_, _, machine, (start, _), _) in enumerate(JOBS):
        world.hours(f"{DAY}{start}", 1, TRN1, 2**number, {}, ResourceId=machine)
    world.charge("2025-10-30T00:00:00", 1)
    for run, at in (("171", "10:30"), ("171", "11:40"), ("172", "10:30"), ("other", "14:30")):
        world.sample(f"{DAY}{at}:00", run, 1)
    settings = world.pulled()
    deliver(
        settings.data,
        [
            held(f"{DAY}{start}", f"{DAY}{end}", cluster=cluster, resource=machine, job=job, **told)
            for job, cluster, machine, (start, end), told in JOBS
        ],
    )
    published_lines(settings)
    return settings


def test_a_number_is_the_run_of_the_cluster_that_ran_while_it_reported(settings: Settings) -> None:
    """172 reported while both ran; 173 never did; 174 is two workloads; a label names a run."""
    rows = Marts(settings).rows(
        "SELECT workload, run, sum(effective_cost) AS cost FROM spend_daily "
        "WHERE date < '2025-10-01' GROUP BY ALL"
    )
    assert {(row["workload"], row["run"]): row["cost"] for row in rows} == {
        ("atlas-7b", "171"): D(1),
        (None, None): D(2 + 4 + 8),
        ("bard", "hpc/173"): D(16),
        ("bard", "lab/173"): D(32),
        ("bard", "174"): D(64),
        ("atlas-7b", "174"): D(128),
        ("bard", "111111111111/hpc/175"): D(256),
        ("bard", "222222222222/hpc/175"): D(512),
        ("bard", "same"): D(1024 + 2048),
    }


@pytest.mark.parametrize(
    ("run", "cost"), [("171", 1), ("hpc/173", 16), ("222222222222/hpc/175", 512)]
)
def test_the_lines_behind_it_are_those_of_its_own_machine(
    settings: Settings, run: str, cost: int
) -> None:
    with bill_lines(settings, f"run = '{run}'", {}, "effective") as lines:
        assert [row["effective_cost"] for row in lines.first().rows] == [D(cost)]
